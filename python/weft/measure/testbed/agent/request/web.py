"""Requests to a web server's node and to its users."""

from __future__ import annotations

from weft.measure.testbed.agent.request.base import Request
from weft.measure.testbed.agent.request.step import Serve


class WebServe(Serve, frozen=True, kw_only=True):
    """Start a web server, report its address, and record beside users' pages until the end."""


class WebUsers(Serve, frozen=True, kw_only=True):
    """Request the pages of one phase. The epoch is on the users' clock."""

    peer: str
    step_index: int
    launch: int
    phase: int
    epoch_ns: int


class Before(Request, frozen=True, kw_only=True):
    """To a web server's node: start counting the pages of a phase."""

    phase: int


class After(Request, frozen=True):
    """Stop counting."""
