"""Requests to the two ends of a step, and to agents beside another program's processes."""

from __future__ import annotations

from msgspec import Struct, field

from weft.measure.testbed.agent.request.base import Request
from weft.measure.testbed.ports import PortRange
from weft.plan.plan import Step


class Serve(Request, frozen=True, kw_only=True):
    """Listen, report the port, then serve the peer that shows the token. Fields are common to both ends of a pair.

    With `shares_host`, another agent of the node records what the host does. `costs_ps` gives, by message size, the
    picoseconds that receiving a byte takes; an application computes a multiple of it.
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


class PlannedBatches(Struct, frozen=True):
    """How to measure a phase whose message time is known: batches of a number of messages, after an untimed batch of
    `warm_up` messages, unless that is 0."""

    phase: int
    messages: int
    batches: int
    warm_up: int


class Drive(Serve, frozen=True, kw_only=True):
    """Connect to a serving peer, if there is one, and run phases: those `known`, in their order, if there are any;
    then, with `takes_orders`, the batches that are requested. The epoch is on the driver's clock."""

    peer: str | None
    step_index: int
    launch: int
    phases: list[int]
    known: tuple[PlannedBatches, ...] = ()
    takes_orders: bool = False
    epoch_ns: int


class ChosenBatch(Struct, frozen=True):
    """A batch of a phase, chosen by the samples so far."""

    phase: int
    batch: int
    size_bytes: int
    messages: int


class Batches(Request, frozen=True, kw_only=True):
    """Run these batches one after the other."""

    batches: list[ChosenBatch]


class DriveSynchronised(Serve, frozen=True, kw_only=True):
    """Connect to a serving peer, one port for each of its addresses, and run batches when told."""

    peers: list[str] = field(default_factory=list)


class Batch(Request, frozen=True, kw_only=True):
    """Start at a time on the driver's clock, or at once if it has passed; a batch without a number is not recorded."""

    size_bytes: int
    messages: int
    phase: int
    batch: int | None
    start_ns: int


class Beside(Request, frozen=True, kw_only=True):
    """Record for a process that connects to the socket of this name, until it leaves and there are no more batches."""

    address: str
    name: str
