"""Requests to a relay."""

from __future__ import annotations

from weft.measure.testbed.agent.request.base import Request


class _OfChild(Request, frozen=True, kw_only=True):
    """A request to a relay about one of the processes behind it."""

    child: int


class Start(_OfChild, frozen=True, kw_only=True):
    """Start a process."""

    argv: list[str]


class Feed(_OfChild, frozen=True):
    """Write the relay's own program to its standard input."""


class Close(_OfChild, frozen=True):
    """End its standard input."""


class Kill(_OfChild, frozen=True):
    """Kill it."""
