"""Patterns of steps: which nodes send to which. One struct a pattern, with the keys of `weft._core` and run.json."""

from __future__ import annotations

from typing import Literal, TypeAlias

from msgspec import UNSET, Struct, UnsetType, field

Nodes: TypeAlias = tuple[int, ...] | None
"""Indices of the testbed's nodes; None means all."""
Policy = Literal["alone", "independent", "shared", "striped", "mptcp", "bonded", "memory"]
"""How several pairs use the interfaces of their nodes."""
Test = Literal["latency", "one-way", "two-way"]
Duplex = Literal["half", "full"]
Server = Literal["apache", "nginx"]
Arrivals = Literal["open", "closed"]
LIBRARY = "library"
"""The algorithm that an MPI library selects itself."""
Compute = Literal["spin", "sleep", "work"]
"""How agents spend the compute time of a program."""


class PatternBase(Struct, frozen=True, tag_field="kind", tag=str.lower):
    """What all patterns have in common."""

    @property
    def kind(self) -> str:
        """The pattern's name in plans: "pingpong", "alltoall", ..."""
        return str(self.__struct_config__.tag)

    @property
    def measures_latency(self) -> bool:
        """Whether a row of samples times round trips."""
        return False

    @property
    def is_two_way(self) -> bool:
        """Whether a row of samples counts messages of one of two directions."""
        return False

    @property
    def has_curve(self) -> bool:
        """Whether a size is a point of a curve: measured between the same two nodes, and in one way."""
        return False


class Pingpong(PatternBase, frozen=True):
    """A message there and an equal one back."""

    @property
    def has_curve(self) -> bool:
        return True

    @property
    def measures_latency(self) -> bool:
        return True


class Stream(PatternBase, frozen=True, omit_defaults=True):
    """One direction: `window` messages, then an acknowledgement. `gamma` are ratios of an application's work to
    communication work; it computes on the data of each read, or on whole messages."""

    window: int
    gamma: tuple[float, ...] = ()
    compute: Literal["read", "message"] = "read"

    @property
    def has_curve(self) -> bool:
        return not self.gamma


class Exchange(PatternBase, frozen=True):
    """Both directions at once."""

    window: int

    @property
    def has_curve(self) -> bool:
        return True

    @property
    def is_two_way(self) -> bool:
        return True


class MultiPair(PatternBase, frozen=True):
    """Several pairs of processes between two nodes. `networks` and `bonded` (the interface that bonds others) are
    properties of the testbed; `interfaces` is empty until the testbed is known."""

    test: Test
    pairs: tuple[int, ...]
    interfaces: tuple[Policy, ...]
    window: int
    small_bytes: int | None
    at_most_ns: int | None
    networks: int = 1
    bonded: int | UnsetType = UNSET

    @property
    def measures_latency(self) -> bool:
        return self.test == "latency"

    @property
    def is_two_way(self) -> bool:
        return self.test == "two-way"


class Webserver(PatternBase, frozen=True):
    """Users that request pages from a server, read, think, and request again. `arrivals` are "open" if requests come at
    independent times, "closed" if the next one waits for the last page; `time_ns` is the duration on a live server."""

    users: tuple[int, ...]
    think_ns: int
    request_bytes: int
    work_cycles: int
    seed: int
    server: Server | UnsetType = UNSET
    arrivals: Arrivals | UnsetType = field(default=UNSET, name="loop")
    time_ns: int | UnsetType = UNSET


class ManyNodes(PatternBase, frozen=True):
    """A pattern between any number of nodes."""

    nodes: Nodes


class Pairs(ManyNodes, frozen=True):
    """Pairs at a distance of `stride`, or from two lists."""

    stride: int | None
    from_: Nodes = field(name="from")
    to: Nodes
    duplex: Duplex


class AllToAll(ManyNodes, frozen=True):
    """Each node sends a block to each other one."""

    mode: Literal["phased", "unphased"]


class Matrix(ManyNodes, frozen=True, omit_defaults=True):
    """All pairs, or only those of `rounds` rounds, sequentially if they share nodes."""

    measure: Literal["rate", "latency"]
    duplex: Duplex | None
    rounds: int | None = None

    @property
    def measures_latency(self) -> bool:
        return self.measure == "latency"


class Streams(ManyNodes, frozen=True):
    """From all senders to all receivers."""

    senders: Nodes
    receivers: Nodes
    streams_per_sender: int
    sweep: bool


class CastFile(Struct, frozen=True):
    """A file on the first node and its destination on the others: `{node}` in `to` is a node's name; None is the
    testbed's default place. With `all_networks`, it is sent over all networks of the nodes."""

    path: str
    to: str | None
    overwrite: bool
    compress: Literal["zstd", "lz4"] | None
    all_networks: bool


class Cast(ManyNodes, frozen=True):
    """A chain of nodes that forwards an image chunk by chunk: synthetic bytes, or a file."""

    chunk_bytes: int
    networks: int
    sweep: bool
    file: CastFile | UnsetType = UNSET


class Ring(ManyNodes, frozen=True):
    """Each node sends to the next."""


class Random(ManyNodes, frozen=True):
    """Random permutations or bisections, a phase each."""

    permutations: int
    seed: int
    shape: Literal["permutation", "bisection"]


class Search(ManyNodes, frozen=True, omit_defaults=True):
    """A search: its phases are chosen during the run, which takes `time_ns` at most."""

    time_ns: int


class Xray(Search, frozen=True, omit_defaults=True):
    """The search for limits, or, if `quick`, for outliers."""

    quick: bool = False


class Paths(Search, frozen=True):
    """The search for paths between leaves by connections from several ports."""

    ports: int


class Health(Search, frozen=True):
    """The search for links that fail a little: rounds of random partners until each node and leaf is decided."""


class Dependent(PatternBase, frozen=True):
    """Each node's actions depend on previous ones of its own and others, so messages are not transfers that start
    together.

    Messages longer than `rendezvous_bytes` wait for their receive; None in a trace means the default of its format.
    """

    nodes: Nodes
    rendezvous_bytes: int | None


class AlgorithmChoice(Struct, frozen=True, rename="kebab"):
    """The algorithm of each operation, for traces that only name the operation."""

    allreduce: str
    allgather: str
    alltoall: str
    bcast: str
    reduce_scatter: str


class Program(Dependent, frozen=True):
    """A trace of an application; `sha256` is the digest of its files, set when a run has read them. `groups` (a file of
    process groups) and `algorithms` (of collectives) are for Chakra traces."""

    trace: str | None
    groups: str | UnsetType = UNSET
    algorithms: AlgorithmChoice | UnsetType = UNSET
    compute: Compute | UnsetType = UNSET
    sha256: str | UnsetType = UNSET


class Halo(Dependent, frozen=True):
    """Exchanges with neighbours on a grid of nodes; `grid` is the number of cells in each dimension, or the number of
    dimensions. `faces` are multiples of the size, by dimension."""

    grid: int | tuple[int, ...]
    periodic: bool
    corners: bool
    faces: tuple[int, ...]
    rounds: int
    work_ns: int
    compute: Compute | UnsetType = UNSET


class Collective(Dependent, frozen=True):
    """One operation of all nodes by several algorithms; the phases of a size are the algorithms
    (`weft._core.Program.ways`). In a simulation, reducing a byte takes `reduce_ps`."""

    operation: Literal["allreduce", "allgather", "alltoall", "bcast", "reduce-scatter"]
    algorithms: tuple[str, ...]
    group: int
    reduce_ps: int | UnsetType = UNSET

    @property
    def has_library(self) -> bool:
        """Whether an MPI library carries it out, too."""
        return LIBRARY in self.algorithms


class Interference(Dependent, frozen=True):
    """A victim alone, and beside each of several congestors on other nodes; each size has `rounds` of these phases
    (`weft._core.Program.congestor`).

    The victim has a `share` of the nodes (`weft._core.Program.roles`), and is timed `repeats` times in a phase. A
    congestor's node sends at most `messages` messages.
    """

    victim: Literal["allreduce", "allgather", "alltoall", "bcast", "reduce-scatter", "halo", "ring"]
    algorithm: str | None
    congestors: tuple[Literal["incast", "alltoall", "broadcast", "permutation", "mixed"], ...]
    share: float
    placement: Literal["interleaved", "random", "blocks"]
    seed: int
    repeats: int
    rounds: int
    congestor_bytes: int | None
    messages: int


class Traffic(Dependent, frozen=True):
    """A traffic simulation on increasing numbers of nodes, a phase each (`weft._core.traffic_counts`). A car that
    passes the end of a link takes `compute_ns`; with a `scale` below 1 there are fewer cars, which take longer."""

    counts: tuple[int, ...]
    demand: Literal["bottleneck", "even"]
    cars: int
    scale: float | None
    links: int
    seed: int
    from_second: int
    seconds: int
    compute_ns: int
    car_bytes: int
    messages: int
    closed: tuple[int, ...]


class Grid(Struct, frozen=True):
    """Rows and columns of processes, numbered row by row."""

    rows: int
    columns: int


class Hpl(Dependent, frozen=True):
    """High-performance Linpack: `n` equations in blocks of `nb`, on a grid of processes, one a node (default: the
    squarest grid of all nodes).

    A process computes `dgemm_flops` and `panel_flops` operations a second. `program` is the real one, if that runs.
    `budget_ns` is the time for all launches, if the plan leaves `n` to be chosen by it.
    """

    n: int
    nb: int
    grid: Grid | None
    bcast: Literal["1ring", "1ringM", "2ring", "2ringM", "long", "longM"]
    depth: int
    swap: Literal["binary-exchange", "long", "mix"]
    threshold: int
    pfact: Literal["left", "crout", "right"]
    nbmin: int
    ndiv: int
    pivots: int
    dgemm_flops: int | None
    panel_flops: int | None
    program: str | None
    budget_ns: int | UnsetType = UNSET
    compute: Compute | UnsetType = UNSET

    @property
    def flops(self) -> float:
        """Operations of the solution, as counted by HPL."""
        return (2 / 3 * self.n + 3 / 2) * self.n**2

    @property
    def matrix_bytes(self) -> int:
        """Size of the matrix and its right-hand side, over all nodes."""
        return 8 * self.n * (self.n + 1)


Pattern: TypeAlias = (
    Pingpong
    | Stream
    | Exchange
    | MultiPair
    | Webserver
    | Pairs
    | AllToAll
    | Matrix
    | Streams
    | Cast
    | Ring
    | Random
    | Xray
    | Paths
    | Health
    | Program
    | Halo
    | Collective
    | Traffic
    | Hpl
    | Interference
)
