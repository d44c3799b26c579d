"""What the entries of run.json hold. Entries may have more keys than these, which are kept."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal, NotRequired, Required, TypeAlias, TypedDict

from msgspec import Meta

from weft.runs.records.fabric_records import FabricRecord
from weft.runs.records.record_types import Count, Index, Number, Settings


class NodeEntry(TypedDict):
    """A node; its facts are what its agent said of it."""

    name: str
    address: NotRequired[str | None]
    facts: NotRequired[Settings | None]


class Headroom(TypedDict):
    """What part of the time a lab's forwarder had nothing to do: the mean, and the least of so many seconds."""

    mean: Number
    least: Number
    seconds: Number


class Effort(TypedDict):
    """What a simulation took, and the fingerprint of what happened in it."""

    fingerprint: str
    events: Count
    idle_s: Number


class GuestsRecord(TypedDict):
    """What the virtual machines are that a plan ran on."""

    emulator: str
    kernel: str
    nic: str
    cpus: Count
    memory_mbytes: Count
    bond: str
    icount: NotRequired[str]


class MachineText(TypedDict):
    """The description of a simulated node, as its file has it, and which of its placements was taken."""

    text: str
    placement: str | None


class TestbedRecord(TypedDict, total=False):
    """What a plan ran on; `spec`, `nodes` and `data_ports` are what was asked for."""

    kind: str
    name: str
    spec: str
    nodes: Count
    data_ports: str
    scale: Number
    fabric: FabricRecord | None
    headroom: Headroom | None
    virtualisation: Literal["virtual", "emulated"]
    guests: GuestsRecord
    model: Settings
    simulation: Effort
    launchers: Sequence[str]
    ports: Sequence[str]
    title: str
    placement: Settings
    overrides: Settings
    machine: MachineText


class Effective(TypedDict):
    """The settings of a node in a step and launch as the kernel has them."""

    step: Index
    launch: Index
    node: str
    settings: Settings


class AgentTiming(TypedDict, total=False):
    """What a look at the clock and a turn of the empty loop cost an agent."""

    clock_read_ns: Number
    loop_ns: Number


class NodeTiming(AgentTiming):
    """The same, and of which node."""

    node: str


class TransferRecord(TypedDict):
    """Messages from a node to a node, as in weft.plan.phases."""

    src: Index
    dst: Index
    bytes: Count
    streams: NotRequired[Index]
    network: NotRequired[Index]
    port: NotRequired[Index]


Kind = Literal[
    "alone",
    "send",
    "receive",
    "inside",
    "cross",
    "out",
    "in",
    "subset",
    "bisection",
    "port",
    "meeting",
    "look",
    "apart",
]
"""What an experiment asks:

inside: all members send to each other, as fast as they can. subset: only some of them do.
cross: all nodes of `within` send to others outside of their own part.
out, in: all members send to, or receive from, the other nodes of `within`.
bisection: a random half of all nodes exchanges with the other half.
alone: one pair exchanges, and no other node in its part of the network sends.
port: a connection from a port of its own, by itself. meeting: one beside others, whose path it may take. look: some
that only a slow path would disturb, or two that may be on one. apart: some that do not disturb each other, and new ones
beside them.
send, receive: one node sends to, or receives from, the other node of `within`, in one direction only.
"""


class GroupQuestion(TypedDict):
    """A question about the nodes of a `group`, which those of `within` answer (weft.runs.experiment)."""

    kind: Kind
    group: list[Index]
    within: list[Index]


Role = Literal["exists", "side", "confirms"]
"""What a trial of a jump asks: whether it is between two sizes, on which side of it the size between two others is,
whether it is between two sizes in another launch as well."""


class Bisects(TypedDict):
    """The jump between the two sizes of `start`, and which `sizes` are compared
    (weft.understand.curve.pinning); phases of one
    trial follow each other in their order."""

    start: list[Count]
    role: Role
    sizes: list[Count]


class Chosen(TypedDict):
    """A phase that was chosen during the run, and what for; earlier builds only have the `purpose`, as text."""

    step: Index
    launch: Index
    phase: Index
    purpose: str
    experiments: NotRequired[list[GroupQuestion]]
    bisects: NotRequired[Bisects]
    size_bytes: Count
    stop: Any
    transfers: list[TransferRecord]


class Incomplete(TypedDict):
    """A phase that lacks a node or a transfer."""

    step: Index
    launch: Index
    phase: Index
    nodes: list[str]
    reason: str


class FailedCast(TypedDict):
    """A node that did not get a file, and why."""

    node: str
    reason: str


class FileCastRecord(TypedDict):
    """A cast of a file: its name, its BLAKE3 hash (as b3sum prints it), where the nodes have it, and those that do
    not. `bridged` were left out of the chain while it ran."""

    step: Index
    launch: Index
    file: str
    to: str
    size_bytes: Count
    hash: str
    whole: list[str]
    failed: list[FailedCast]
    bridged: list[str]


class Lost(TypedDict):
    """A node that failed in a phase, or before the first."""

    node: str
    step: Index
    launch: Index
    phase: Index | None
    reason: str


class ClockOffset(TypedDict):
    """How far a node's clock is from the run's."""

    node: str
    offset_ns: Number
    error_ns: Number


class Barrier(TypedDict):
    """What the barrier of a phase took."""

    step: Index
    launch: Index
    phase: Index
    barrier_us: Number


class Sampled(TypedDict):
    """A step of which only some transfers are kept: about `rows` samples of `transfers` (see weft.runs.digests)."""

    step: Index
    transfers: Count
    phases: Count
    rows: Count


Counted = Literal[
    "sent", "received", "duplicated", "reordered", "overrun", "sending_ns", "ring", "backlog"
]


class DeliveryRecord(TypedDict):
    """What became of the messages of a batch where the transport may lose some. Where else than at the socket they were
    lost only simulated nodes say: in the ring of the receiving interface, or before protocol processing."""

    step: Index
    launch: Index
    phase: Index
    sent: Count
    received: Count
    duplicated: Count
    reordered: Count
    overrun: Count
    jitter_ns: Count
    sending_ns: Count
    ring: NotRequired[Count]
    backlog: NotRequired[Count]


class CarriedRecord(TypedDict):
    """What each interface of a node has received and sent while several pairs ran, in bytes."""

    step: Index
    launch: Index
    policy: str
    pairs: Index
    first: Index
    phases: list[Index]
    node: str
    bytes: dict[str, list[int]]


class NotReadRecord(TypedDict):
    """Counters that could not be read, such as `nstat:*`, and why."""

    counters: str
    reason: str


class EvidenceRecord(TypedDict):
    """Which counters were read on a node beside the batches of some steps; evidence.parquet has those that moved."""

    node: str
    steps: list[Index]
    counters: list[str]
    missing: list[NotReadRecord]


class Stall(TypedDict):
    """One end of a connection on which nothing moved until the step failed: payload bytes of a full segment, segments
    that were not acknowledged, how often in a row the oldest was sent again, and how long ago the peer's kernel had
    acknowledged anything, packets without payload included."""

    step: Index
    launch: Index
    node: str
    segment_bytes: Count
    unacknowledged: Count
    resends: Count
    unanswered_ms: Count


class Disturbed(TypedDict):
    """A launch in which the machine had too little to give: the code of the cause, and where. `counted` is the part of
    `of` (in ns) in which it had, `share` the one over the other."""

    launch: Index
    cause: str
    where: str
    share: Number
    counted: Count
    of: Count


class BusyCost(TypedDict):
    """What receiving took of the receiver's processor where its application left it no time to wait, without that work,
    and of soft interrupts on its node's other processors; `waits` counts how often it waited all the same."""

    bytes: Count
    host_ns: Count
    waits: Count
    elsewhere_ns: NotRequired[Count]


class ReceivingCost(TypedDict):
    """What receiving took where no application computed, before a step in which one does: messages of one size in one
    launch. Processor time of the receiver's processor, of soft interrupts on its node's other processors, and of the
    sender's process; `process_ns` is what the receiver's own process had of it. `waits`: how often the receiver had
    nothing to read, slept and was woken."""

    step: Index
    launch: Index
    size_bytes: Count
    bytes: Count
    elapsed_ns: Count
    host_ns: Count
    elsewhere_ns: Count
    sender_ns: Count
    process_ns: NotRequired[Count]
    waits: NotRequired[Count]
    busy: NotRequired[BusyCost]


class Linpack(TypedDict):
    """What a launch of the real Linpack has solved, and in which time; it is right where its scaled residual is small
    enough (None: no number)."""

    step: Index
    launch: Index
    elapsed_ns: Count
    residual: Number | None
    is_right: bool
    program: str
    mpi: str


class ImportedFile(TypedDict, total=False):
    """The file that a run was imported from, and how its numbers are to be read."""

    format: Required[str]
    file: Required[str]
    convention: Required[str]
    tests: list[Settings]
    label: str
    """What was taken off the front of its lines."""


Done: TypeAlias = Annotated[list[Index], Meta(min_length=2, max_length=2)]
"""A step and a launch that ran to their end."""
Statistic = Literal["batch", "best", "mean"]
"""What a row of samples is: an ordinary batch, or, in some imported results, the best or the mean of several."""
