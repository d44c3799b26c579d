"""What is asked of the two ends of a step, and of agents beside another program's processes."""

from __future__ import annotations

from msgspec import Struct, field

from weft.measure.testbed.agent.request.base import Request
from weft.measure.testbed.ports import PortRange
from weft.plan.plan import Step


class Serve(Request, frozen=True, kw_only=True):
    """Listen, say on which port, then serve the peer that shows the token. What both ends of a pair are told.

    One that `shares_host` leaves it to another agent of its node to record what the host does.
    `costs_ps` are, by message size, the picoseconds that receiving a byte takes: an application computes a multiple.
    """

    step: Step
    nodes: int
    node: int
    address: str
    more_addresses: list[str] = field(default_factory=list)
    ports: PortRange | None
    token: str
    shares_host: bool = False
    costs_ps: tuple[tuple[int, int], ...] = ()
    patience_ms: int


class Known(Struct, frozen=True):
    """How to measure a phase whose message time is known: so many batches of so many messages, after a batch of
    `warm_up` messages that is not timed, unless that is 0."""

    phase: int
    messages: int
    batches: int
    warm_up: int


class Drive(Serve, frozen=True, kw_only=True):
    """Connect to a serving peer, if there is one, and run phases: in the order of those `known`, where there are any;
    then the batches that are asked for, where it `takes_orders`. The epoch is on the driver's clock."""

    peer: str | None
    step_index: int
    launch: int
    phases: list[int]
    known: tuple[Known, ...] = ()
    takes_orders: bool = False
    epoch_ns: int


class Wanted(Struct, frozen=True):
    """A batch of a phase that was chosen by the samples so far."""

    phase: int
    batch: int
    size_bytes: int
    messages: int


class Batches(Request, frozen=True, kw_only=True):
    """Run these, one after the other."""

    batches: list[Wanted]


class DriveSynchronised(Serve, frozen=True, kw_only=True):
    """Connect to a serving peer, one port for each of its addresses, and run batches when told."""

    peers: list[str] = field(default_factory=list)


class Batch(Request, frozen=True, kw_only=True):
    """Begin at a time of the driver's clock, at once where that is over; without a number it does not count."""

    size_bytes: int
    messages: int
    phase: int
    batch: int | None
    start_ns: int


class Beside(Request, frozen=True, kw_only=True):
    """Record for a process that comes to a socket of that name, until it goes and there are no more batches."""

    address: str
    name: str
