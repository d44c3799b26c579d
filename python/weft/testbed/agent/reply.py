"""What agents (`weft-probe`) and relays say: a struct for each message. Samples travel in frames of their own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias, TypedDict, TypeVar

from msgspec import Struct, field

from weft.runs.probes import Event
from weft.testbed.agent.request import WatchCursor, tag_of

Settings: TypeAlias = Mapping[str, object]
"""What the kernel says is in force on a node for a step, by the keys that run.json has."""


class _Reply(Struct, frozen=True, tag_field="type", tag=tag_of):
    pass


class _Ending(_Reply, frozen=True, kw_only=True):
    """Ends what was asked; `rejected` are the connections or datagrams that were refused meanwhile."""

    rejected: int = 0


class Interface(Struct, frozen=True):
    """An interface that is up, and where it is reached."""

    name: str
    addresses: tuple[str, ...]
    is_bond: bool = False


class Cache(Struct, frozen=True):
    """A cache of a processor that data goes through."""

    level: int
    bytes: int


class Facts(Struct, frozen=True):
    """What an agent says of its node. All may be missing, so that an agent of another version can still say which."""

    hostname: str = ""
    kernel: str = ""
    cpu_model: str = ""
    cpus: int = 0
    processors: tuple[int, ...] = ()
    architecture: str = ""
    caches: tuple[Cache, ...] = ()
    interfaces: tuple[Interface, ...] = ()
    devices: Mapping[str, Settings] = {}
    """What drives each interface: driver, firmware, slot, link, offloads."""
    settings: Mapping[str, int | str | None] = field(default_factory=dict)
    """Limits and time-outs of the kernel, sizes in bytes (crates/probe/src/system/settings.rs)."""


class Overhead(Struct, frozen=True):
    """What timing itself costs on a node: reading the clock, and a round trip of a loop that does nothing."""

    clock_read_ns: float = 0.0
    loop_ns: float = 0.0


class Ready(_Reply, frozen=True):
    """`transports` say by name why one is not to be had, None where it is."""

    version: str
    facts: Facts = Facts()
    transports: dict[str, str | None] = field(default_factory=dict)
    timing: Overhead = Overhead()


class Clock(_Reply, frozen=True):
    now_ns: int


class Counters(_Reply, frozen=True):
    """Bytes received and sent, by interface."""

    interfaces: dict[str, list[int]]


class Listening(_Reply, frozen=True):
    """The port of the first address, and those of the further ones."""

    port: int
    more_ports: tuple[int, ...] = ()


class Connected(_Reply, frozen=True):
    effective: Settings


class Awaiting(_Reply, frozen=True):
    """All that was asked for is measured and sent; the next batches may be asked for."""


class NotRead(Struct, frozen=True):
    """Counters that cannot be read on a node, and why."""

    counters: str
    reason: str


class Recording(_Reply, frozen=True):
    """Which counters are read beside the batches of a step, and which are not."""

    counters: list[str]
    missing: list[NotRead]


class Stalled(_Reply, frozen=True):
    """A step is about to fail: nothing had moved on its connection. Payload bytes of a full segment, segments that were
    not acknowledged, how often in a row the oldest was sent again, and how long ago the peer's kernel acknowledged
    anything, keepalive probes included."""

    segment_bytes: int
    unacknowledged: int
    resends: int
    unanswered_ms: int


class Timed(_Reply, frozen=True):
    """A batch is over; when it began is on the driver's clock."""

    start_ns: int
    elapsed_ns: int


class Delivery(Struct, frozen=True):
    """What became of the messages of a batch."""

    phase: int
    batch: int
    sent: int
    received: int
    duplicated: int
    reordered: int
    overrun: int
    jitter_ns: int
    span_ns: int
    sending_ns: int


class Deliveries(_Reply, frozen=True):
    rows: list[Delivery]


class Done(_Ending, frozen=True):
    """A step between two nodes is over."""


class Error(_Ending, frozen=True, kw_only=True):
    """What was asked has failed because of some nodes, by index, or for another reason."""

    code: str
    message: str
    peers: tuple[int, ...] = ()


class Serving(_Reply, frozen=True):
    """A web server has started: its program, and the version as it says it."""

    port: int
    program: str
    version: str
    pid: int


class Counting(_Reply, frozen=True):
    """Pages count from now on."""


class Counted(_Reply, frozen=True):
    """They do no more."""


class Responses(_Reply, frozen=True):
    """What a web server's users found in a phase; response times are those of `requests`, from when they were due."""

    phase: int
    users: int
    is_open: bool
    waiting: float
    mean_ns: float
    median_ns: float
    p90_ns: float
    p95_ns: float
    p99_ns: float
    p999_ns: float
    requests: int
    errors: int
    timeouts: int
    late_ns: float


class ListeningOn(_Reply, frozen=True):
    """A port for each address."""

    ports: list[int]


class Joined(_Reply, frozen=True):
    """How far the node's clock is ahead of the first member's, and its settings."""

    offset_ns: int
    error_ns: int
    effective: Settings


class Alive(_Reply, frozen=True, kw_only=True):
    """Where the node is, said at intervals while phases run; `round` is the barrier's."""

    phase: int
    state: str
    moved_bytes: int
    waiting_for: tuple[int, ...] = ()
    round: int | None = None


class FailedTransfer(Struct, frozen=True):
    """A transfer whose connection broke."""

    src: int
    dst: int
    reason: str


class PhaseOver(_Reply, frozen=True):
    phase: int
    barrier_us: float
    failed: tuple[FailedTransfer, ...] = ()


class PhasesDone(_Reply, frozen=True):
    pass


class Left(_Ending, frozen=True):
    """The session is over."""


class Slot(TypedDict, total=False):
    """Where a card is on the PCI bus."""

    address: str
    speed: str | None
    width: int | None
    max_speed: str | None
    max_width: int | None
    numa_node: int | None


class CheckedInterface(TypedDict, total=False):
    """What the kernel and the driver say of an interface (crates/probe/src/inspect)."""

    name: str
    up: bool
    loopback: bool
    mtu_bytes: int | None
    link_mbps: int | None
    duplex: str | None
    autoneg: bool | None
    driver: str
    driver_version: str
    firmware: str
    slot: Slot | None
    offloads: dict[str, bool]
    received_errors: int | None
    received_drops: int | None


class System(TypedDict, total=False):
    """What holds for all interfaces of a node; `settings` are limits and time-outs of sockets, sizes in bytes."""

    governors: list[str]
    numa_nodes: str | None
    busy: list[float]
    open_files: int | None
    settings: dict[str, int | str | None]


class Inspected(_Reply, frozen=True):
    """An interface is None where none has the address."""

    node: System
    interfaces: list[CheckedInterface | None]


class Echoing(_Reply, frozen=True):
    """A port for each address."""

    ports: list[int]


class Path(Struct, frozen=True, kw_only=True):
    """A path as it was found over one network; errors are sentences or None."""

    network: int
    connect_error: str | None
    datagram_error: str | None
    answered: int
    asked: int
    round_trip_us: float | None
    clock_offset_us: float | None
    clock_error_us: float | None
    mtu_bytes: int | None


class Tried(_Reply, frozen=True):
    paths: list[Path]


class EchoStopped(_Ending, frozen=True):
    """The node echoes no more."""


class SeenKnob(Struct, frozen=True):
    """Values by file; `why_not` says why it cannot be changed, "" where it can."""

    name: str
    values: dict[str, str]
    allowed: dict[str, str]
    why_not: str


class KnobsSeen(_Reply, frozen=True):
    """Settings of a node; `boot` and `namespace` say which machine and network they are of, and since when."""

    boot: str
    namespace: str
    knobs: list[SeenKnob]


class KnobsSet(_Reply, frozen=True):
    """What was read after the change: values by file, by name."""

    values: dict[str, dict[str, str]]


class RestoredKnob(Struct, frozen=True):
    """What became of a setting that was to be put back; `why` is said of a failure."""

    name: str
    outcome: Literal["restored", "unchanged", "changed", "failed"]
    now: dict[str, str]
    why: str


class KnobsRestored(_Reply, frozen=True):
    knobs: list[RestoredKnob]


class Watching(_Reply, frozen=True):
    """Sockets are noticed, their tables read every `period_ms`; `why_not` says why the tracepoint is not, "" where it
    is."""

    period_ms: int
    why_not: str


class SeenProcess(Struct, frozen=True):
    """A process, and when it was seen first and last (of a rank: first as one). Times are on the node's clock."""

    pid: int
    parent: int
    name: str
    is_rank: bool
    first_ns: int
    last_ns: int
    was_there: bool


class SocketEvent(Struct, frozen=True):
    """A socket began to listen or connect, was accepted (tracepoint), or was seen in the tables. Places are as in
    10.0.0.1:22 and [::1]:22; a pid is 0 where it is not known."""

    at_ns: int
    what: Literal["listens", "connects", "accepts", "is_open", "bound"]
    protocol: Literal["tcp", "udp"]
    local: str
    remote: str | None
    pid: int
    was_there: bool


class SocketsSeen(_Reply, frozen=True):
    """What a node's programs opened; `any_port` are the ports that its kernel gives to those that ask for any."""

    boot: str
    namespace: str
    addresses: list[str]
    any_port: tuple[int, int]
    processes: list[SeenProcess]
    events: list[SocketEvent]
    left_out: int


class LinkState(Struct, frozen=True, kw_only=True):
    """A link since the process that probes it began; `refused` says by kind why it is not probed."""

    link: int
    address: str
    sent: int
    lost: int
    last_us: int
    last_rtt_ns: int | None
    refused: dict[str, str]


class WatchStatus(Struct, frozen=True, kw_only=True):
    """What a process that watches has written last, at the latest 10 s ago while it runs."""

    pid: int
    version: str
    serial: int
    site: str
    started_s: float
    written_s: float
    port: int
    refused: int
    spool_bytes: int
    is_disk_full: bool
    links: list[LinkState]


class WatchState(_Reply, frozen=True, kw_only=True):
    is_running: bool
    status: WatchStatus | None


class WatchDrained(_Reply, frozen=True, kw_only=True):
    """A frame with so many `rows` follows, unless there are none."""

    cursor: WatchCursor
    rows: int
    has_more: bool
    events: list[Event]
    is_running: bool
    status: WatchStatus | None


class Relaying(_Reply, frozen=True):
    version: str


class Ended(_Reply, frozen=True):
    """A process behind a relay has ended; `status` is minus the signal that killed it."""

    child: int
    status: int
    message: str


Reply: TypeAlias = (
    Ready
    | Clock
    | Counters
    | Listening
    | Connected
    | Awaiting
    | Recording
    | Stalled
    | Timed
    | Deliveries
    | Done
    | Error
    | ListeningOn
    | Joined
    | Alive
    | PhaseOver
    | PhasesDone
    | Left
    | Inspected
    | Echoing
    | Tried
    | EchoStopped
    | KnobsSeen
    | KnobsSet
    | KnobsRestored
    | Serving
    | Counting
    | Counted
    | Responses
    | Watching
    | SocketsSeen
    | WatchState
    | WatchDrained
    | Relaying
    | Ended
)
Answer = TypeVar("Answer", bound=_Reply)
"""The reply that a request is followed by."""
