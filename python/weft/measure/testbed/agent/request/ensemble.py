"""Requests to the members of a session of many nodes."""

from __future__ import annotations

from msgspec import Raw, Struct

from weft.measure.testbed.agent.request.base import Request
from weft.measure.testbed.ports import PortRange
from weft.plan.pattern import Compute, Traffic
from weft.plan.plan import Options, Step
from weft.plan.roles import NodePart


class Open(Request, frozen=True, kw_only=True):
    """Listen on each address, for a session of many nodes."""

    node: int
    addresses: tuple[str, ...]
    ports: PortRange | None
    options: Options
    token: str


class Join(Request, frozen=True, kw_only=True):
    """Connect to the other members. `peers` has each member's listeners; the epoch is on the first member's clock."""

    members: list[int]
    peers: dict[str, list[str]]
    epoch_ns: int
    connect_ms: int


class Phases(Request, frozen=True, kw_only=True):
    """Run phases, with a barrier before each."""

    step_index: int
    launch: int
    phases: list[NodePart]


class ProgramPart(Struct, frozen=True, omit_defaults=True):
    """A phase that is a program; `node` is the member's part as `weft._core` gives it, unless it follows from the
    step."""

    phase: int
    node: Raw | None = None


class Programs(Request, frozen=True, kw_only=True):
    """Run programs, with a barrier before each. `ranks` has the member of each rank; the times of at most `rows`
    messages of a phase are kept."""

    step_index: int
    launch: int
    step: Step
    ranks: tuple[int, ...]
    compute: Compute
    rows: int
    phases: list[ProgramPart]


class TrafficPart(Struct, frozen=True):
    """A phase of traffic: the first `nodes` of the ranks take part."""

    phase: int
    nodes: int


class Traffics(Request, frozen=True, kw_only=True):
    """Simulate traffic, with a barrier before each phase. `ranks` has the member that simulates each domain."""

    step_index: int
    launch: int
    traffic: Traffic
    ranks: tuple[int, ...]
    phases: list[TrafficPart]


class Leave(Request, frozen=True):
    """End the session when everything is done."""


class Abort(Request, frozen=True):
    """End the session at once."""
