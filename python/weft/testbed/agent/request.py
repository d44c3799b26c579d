"""What the coordinator asks of agents (`weft-probe`): a struct for each message, with the keys that Rust reads."""

from __future__ import annotations

import re

from msgspec import Raw, Struct, field

from weft.knobs.knob import Access
from weft.plan.pattern import Compute, Traffic
from weft.plan.plan import Options, Step
from weft.plan.roles import Part
from weft.testbed.ports import PortRange


def tag_of(name: str) -> str:
    """A message's type on the wire: DriveSynchronised is drive_synchronised."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()


class Request(Struct, frozen=True, kw_only=True, tag_field="type", tag=tag_of):
    """A request; one without fields is all said."""


class Clock(Request, frozen=True):
    """What time is it on your monotonic clock?"""


class Counters(Request, frozen=True):
    """What have your interfaces carried so far?"""


class Sockets(Request, frozen=True):
    """Note which sockets programs open, until the next request, which is not answered otherwise."""


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


class Over(Request, frozen=True):
    """There are no more batches."""


class Beside(Request, frozen=True, kw_only=True):
    """Record for a process that comes to a socket of that name, until it goes and there are no more batches."""

    address: str
    name: str


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


class Open(Request, frozen=True, kw_only=True):
    """Listen on each address, for a session of many nodes."""

    node: int
    addresses: tuple[str, ...]
    ports: PortRange | None
    options: Options
    token: str


class Join(Request, frozen=True, kw_only=True):
    """Connect to the other members. `peers` has each member's listeners, the epoch is on the first member's clock."""

    members: list[int]
    peers: dict[str, list[str]]
    epoch_ns: int
    connect_ms: int


class Phases(Request, frozen=True, kw_only=True):
    """Run phases, with a barrier before each."""

    step_index: int
    launch: int
    phases: list[Part]


class ProgramPart(Struct, frozen=True, omit_defaults=True):
    """A phase that is a program; `node` is the member's part, as `weft._core` gives it, where it does not follow from
    the step."""

    phase: int
    node: Raw | None = None


class Programs(Request, frozen=True, kw_only=True):
    """Carry out programs, with a barrier before each. `ranks` has the member that each rank is; of a phase the times of
    at most `rows` messages are kept."""

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
    """End the session when all is done."""


class Abort(Request, frozen=True):
    """End the session at once."""


class CastJob(Struct, frozen=True, kw_only=True):
    """A file on a node: the one that is cast, or one that is to become the same. What an earlier cast has left of it
    does not count where it `is_fresh`."""

    path: str
    is_source: bool
    size_bytes: int
    chunk_bytes: int
    overwrite: bool
    compress: str | None
    is_fresh: bool


class CastLook(Request, frozen=True, kw_only=True):
    """What is there? Nothing is changed."""

    job: CastJob


class CastOpen(Request, frozen=True, kw_only=True):
    """Open the file, and listen on each address. The epoch is on the node's clock."""

    job: CastJob
    node: int
    addresses: tuple[str, ...]
    ports: PortRange | None
    options: Options
    token: str
    patience_ms: int
    epoch_ns: int


class CastAccept(Request, frozen=True, kw_only=True):
    """That node connects, for the link of that number."""

    generation: int
    from_: int = field(name="from")


class CastConnect(Request, frozen=True, kw_only=True):
    """Send on to the node that listens there, on each network; without addresses this is the last."""

    generation: int
    peers: list[str]


class CastOver(Request, frozen=True, kw_only=True):
    """The end; the file gets its name if it `is_good`."""

    is_good: bool


class Inspect(Request, frozen=True, kw_only=True):
    """Say what the node is like, and the interfaces that have these addresses."""

    addresses: list[str]


class Echo(Request, frozen=True, kw_only=True):
    """Answer questions that show the token until told to stop."""

    addresses: list[str]
    ports: PortRange | None = None
    token: str


class Peer(Struct, frozen=True, kw_only=True):
    """A node that echoes, as seen from one that asks, on one network."""

    node: int
    network: int
    from_: str = field(name="from")
    to: str


class Paths(Request, frozen=True, kw_only=True):
    """Try the paths to nodes that echo."""

    peers: list[Peer]
    token: str


class StopEcho(Request, frozen=True):
    """Echo no more."""


class Question(Struct, frozen=True, kw_only=True):
    """A setting of the node to look at; `interface` is "" of a host's. As `weft.knobs.knob.Knob` has it."""

    name: str
    read: Access
    set: Access
    allowed: Access | None = None
    default: str = ""
    interface: str = ""


class LookAtKnobs(Request, frozen=True, kw_only=True):
    """What are these settings? Those of the login's interface may be changed if `anyway`."""

    knobs: list[Question]
    anyway: bool = False


class Entry(Struct, frozen=True, kw_only=True):
    """A setting that is changed, or is about to be. `old` has values by file ("" of a command), `new` what was read
    after the change."""

    name: str
    read: Access
    set: Access
    reset: Access | None = None
    interface: str = ""
    drops_link: bool = False
    old: dict[str, str]
    wanted: str
    new: dict[str, str] | None = None


class SetKnobs(Request, frozen=True, kw_only=True):
    """Change settings, all or none, with a journal and a guard on the node."""

    session: str
    entries: list[Entry]
    anyway: bool = False


class RestoreKnobs(Request, frozen=True, kw_only=True):
    """Put settings back, the last one first."""

    session: str
    entries: list[Entry]


class Beat(Request, frozen=True):
    """The coordinator is there: without this for 10 s, what was changed is put back. It has no answer."""


class WatchedLink(Struct, frozen=True, kw_only=True):
    """A peer of a site that watches, and how it is probed; `turn` is which part of an interval, of how many."""

    link: int
    peer: str
    port: int | None
    usual_port: int
    kinds: tuple[str, ...]
    sizes: tuple[int, ...]
    interval_ms: int
    timeout_ms: int
    turn: tuple[int, int]


class WatchConfig(Struct, frozen=True, kw_only=True):
    """What the process of a site that watches is told."""

    site: str
    serial: int
    token: str
    id: tuple[int, ...]
    port: int
    spool_bytes: int
    links: tuple[WatchedLink, ...]


class WatchCursor(Struct, frozen=True, kw_only=True):
    """How far what a site has kept was fetched."""

    segment: int = 0
    thinned: int = 0
    offset: int = 0


class WatchStart(Request, frozen=True, kw_only=True):
    """Start a process that watches, or give the one that runs another configuration."""

    place: str
    config: WatchConfig


class WatchDrain(Request, frozen=True, kw_only=True):
    """Give what was kept behind the cursor; what is before it is on the coordinator's disk."""

    place: str
    cursor: WatchCursor


class WatchStop(Request, frozen=True, kw_only=True):
    """End the process, and `forget` what it has kept."""

    place: str
    forget: bool


class _OfChild(Request, frozen=True, kw_only=True):
    """To a relay, of one of the processes behind it."""

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
