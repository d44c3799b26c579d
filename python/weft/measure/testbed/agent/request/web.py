"""What is asked of a web server's node and of its users."""

from __future__ import annotations

from weft.measure.testbed.agent.request.base import Request
from weft.measure.testbed.agent.request.step import Serve


class WebServe(Serve, frozen=True, kw_only=True):
    """Start a web server, say where it is, and record beside users' pages until all is over."""


class WebUsers(Serve, frozen=True, kw_only=True):
    """Request the pages of one phase. The epoch is on the users' clock."""

    peer: str
    step_index: int
    launch: int
    phase: int
    epoch_ns: int


class Before(Request, frozen=True, kw_only=True):
    """To a web server's node: the pages of a phase begin to count."""

    phase: int


class After(Request, frozen=True):
    """They have ended."""
