"""Entries of run.json. They may have other keys, which are kept."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal, NotRequired, Required, TypeAlias, TypedDict

from msgspec import Meta

from weft.runs.records.fabric_records import FabricRecord
from weft.runs.records.record_types import Count, Index, Number, Settings


class NodeEntry(TypedDict):
    """A node with the facts reported by its agent."""

    name: str
    address: NotRequired[str | None]
    facts: NotRequired[Settings | None]


class Headroom(TypedDict):
    """Idle share of a lab's forwarder: the mean, and the minimum of `seconds` intervals of one second."""

    mean: Number
    least: Number
    seconds: Number


class Effort(TypedDict):
    """The cost of a simulation, and the fingerprint of its events."""

    fingerprint: str
    events: Count
    idle_s: Number


class GuestsRecord(TypedDict):
    """The virtual machines that a plan ran on."""

    emulator: str
    kernel: str
    nic: str
    cpus: Count
    memory_mbytes: Count
    bond: str
    icount: NotRequired[str]


class MachineText(TypedDict):
    """The description of a simulated node as in its file, and the placement used."""

    text: str
    placement: str | None


class TestbedRecord(TypedDict, total=False):
    """The testbed of a run; `spec`, `nodes` and `data_ports` as requested."""

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
    """Settings of a node in a step and launch, read back from the kernel."""

    step: Index
    launch: Index
    node: str
    settings: Settings


class AgentTiming(TypedDict, total=False):
    """Costs of reading the clock and of one iteration of the empty loop in an agent."""

    clock_read_ns: Number
    loop_ns: Number


class NodeTiming(AgentTiming):
    """Costs of reading the clock and of an empty loop, on a node."""

    node: str


class TransferRecord(TypedDict):
    """Messages from one node to another, as in weft.plan.phases."""

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
"""The question of an experiment:

inside: all members send to each other at full rate. subset: only some of them do. cross: all nodes of `within` send to
others outside of their own part. out, in: all members send to, or receive from, the other nodes of `within`. bisection:
a random half of all nodes exchanges with the other half. alone: one pair exchanges, and no other node in its part of
the network sends. port: a connection from a port of its own, by itself. meeting: one connection beside others whose
path it may share. look: connections that only a slow path would disturb, or two that may share one. apart: connections
that do not disturb each other, with new ones beside them. send, receive: one node sends to, or receives from, the other
node of `within`, in one direction only.
"""


class GroupQuestion(TypedDict):
    """A question about the nodes of a `group`, answered by those of `within` (weft.runs.experiment)."""

    kind: Kind
    group: list[Index]
    within: list[Index]


Role = Literal["exists", "side", "confirms"]
"""The question of a trial of a jump: whether it lies between two sizes, on which side of it the size between them lies,
or whether it lies between them in another launch as well."""


class Bisects(TypedDict):
    """The jump between the two sizes of `start`, and the `sizes` compared (weft.understand.curve.pinning); phases of
    one trial are successive."""

    start: list[Count]
    role: Role
    sizes: list[Count]


class ChosenPhase(TypedDict):
    """A phase chosen during the run, and its purpose; earlier versions only wrote the `purpose`, as text."""

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
    """A node that did not receive a file, and why."""

    node: str
    reason: str


class FileCastRecord(TypedDict):
    """A cast of a file: its name, its BLAKE3 hash (as b3sum prints it), its path on the nodes, and the nodes without
    it. `bridged` nodes were removed from the chain during the cast."""

    step: Index
    launch: Index
    file: str
    to: str
    size_bytes: Count
    hash: str
    whole: list[str]
    failed: list[FailedCast]
    bridged: list[str]


class LostNode(TypedDict):
    """A node that failed in a phase, or before the first."""

    node: str
    step: Index
    launch: Index
    phase: Index | None
    reason: str


class ClockOffset(TypedDict):
    """The offset of a node's clock from that of the run."""

    node: str
    offset_ns: Number
    error_ns: Number


class Barrier(TypedDict):
    """The duration of a phase's barrier."""

    step: Index
    launch: Index
    phase: Index
    barrier_us: Number


class SampledStep(TypedDict):
    """A step of which only some transfers are kept: about `rows` samples of `transfers` (see weft.runs.digests)."""

    step: Index
    transfers: Count
    phases: Count
    rows: Count


CountEndReply = Literal[
    "sent", "received", "duplicated", "reordered", "overrun", "sending_ns", "ring", "backlog"
]


class DeliveryRecord(TypedDict):
    """Delivery of a batch's messages over a lossy transport. Losses elsewhere than at the socket are known for
    simulated nodes only: in the ring of the receiving interface, or before protocol processing."""

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
    """Bytes received and sent by each interface of a node while several pairs ran."""

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
    """The counters read on a node beside the batches of some steps; evidence.parquet has those that changed."""

    node: str
    steps: list[Index]
    counters: list[str]
    missing: list[NotReadRecord]


class Stall(TypedDict):
    """One end of a connection that stalled until the step failed: payload of a full segment in bytes, unacknowledged
    segments, successive retransmissions of the oldest, and the time since the peer's kernel last acknowledged anything,
    packets without payload included."""

    step: Index
    launch: Index
    node: str
    segment_bytes: Count
    unacknowledged: Count
    resends: Count
    unanswered_ms: Count


class DisturbedLaunch(TypedDict):
    """A launch in which the machine had too few resources: the code of the cause, and where. `counted` is the part of
    `of` (in ns) in which it had too few, `share` their ratio."""

    launch: Index
    cause: str
    where: str
    share: Number
    counted: Count
    of: Count


class BusyCost(TypedDict):
    """Processor time of receiving while the application left the receiver's processor no idle time, without the
    application's work, and of soft interrupts on its node's other processors; `waits` counts how often it waited
    nevertheless."""

    bytes: Count
    host_ns: Count
    waits: Count
    elsewhere_ns: NotRequired[Count]


class ReceivingCost(TypedDict):
    """Processor time of receiving without application, before a step with one: messages of one size in one launch. Of
    the receiver's processor, of soft interrupts on its node's other processors, and of the sender's process;
    `process_ns` is the part of the receiver's own process. `waits` counts how often the receiver had nothing to read,
    slept and was woken."""

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
    """Problem and time of a launch of the real Linpack; the solution is right if its scaled residual is small enough
    (None: no number)."""

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
    """The prefix removed from its lines."""


Done: TypeAlias = Annotated[list[Index], Meta(min_length=2, max_length=2)]
"""A step and a launch that ran to their end."""
Statistic = Literal["batch", "best", "mean"]
"""What a row of samples is: an ordinary batch, or, in some imported results, the minimum or mean of several."""
