"""Which nodes send to which in a step: a struct for each pattern, with the keys that `weft._core` and run.json have."""

from __future__ import annotations

from typing import Literal, TypeAlias

from msgspec import UNSET, Struct, UnsetType, field

Nodes: TypeAlias = tuple[int, ...] | None
"""Positions among the testbed's nodes; None is all of them."""
Policy = Literal["alone", "independent", "shared", "striped", "mptcp", "bonded", "memory"]
"""How several pairs use the interfaces of their nodes."""
Test = Literal["latency", "one-way", "two-way"]
Duplex = Literal["half", "full"]
Server = Literal["apache", "nginx"]
Arrivals = Literal["open", "closed"]
LIBRARY = "library"
"""The algorithm that an MPI library chooses itself."""
Compute = Literal["spin", "sleep", "work"]
"""How agents spend the time that a program computes."""


class PatternBase(Struct, frozen=True, tag_field="kind", tag=str.lower):
    """What all patterns have in common."""

    @property
    def kind(self) -> str:
        """Its name in plans: "pingpong", "alltoall", ..."""
        return str(self.__struct_config__.tag)

    @property
    def measures_latency(self) -> bool:
        """Whether a row of samples times round trips."""
        return False

    @property
    def is_two_way(self) -> bool:
        """Whether a row of samples counts the messages of one of two directions."""
        return False

    @property
    def has_curve(self) -> bool:
        """Whether a size is a point of a curve: measured between the same two nodes, and in one way."""
        return False


class Pingpong(PatternBase, frozen=True):
    """A message there and the same back."""

    @property
    def has_curve(self) -> bool:
        return True

    @property
    def measures_latency(self) -> bool:
        return True


class Stream(PatternBase, frozen=True, omit_defaults=True):
    """One direction: `window` messages, then an acknowledgement. `gamma` are ratios of an application's work to the
    communication's; it computes with what each read gives, or with whole messages."""

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
    """Several pairs of processes between two nodes. `networks` and `bonded` (the interface that bonds others) are what
    the testbed has; `interfaces` is empty until it has decided."""

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
    """Users that request pages from a server, read, think, and request again. `arrivals` of requests are "open" where
    they come at times of their own, "closed" where the next waits for the last page; `time_ns` is of a live one."""

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
    """Pairs at a distance of `stride`, or those that two lists make."""

    stride: int | None
    from_: Nodes = field(name="from")
    to: Nodes
    duplex: Duplex


class AllToAll(ManyNodes, frozen=True):
    """Each node sends a block to each other one."""

    mode: Literal["phased", "unphased"]


class Matrix(ManyNodes, frozen=True, omit_defaults=True):
    """All pairs, or so many `rounds` of them, one after the other as far as they share nodes."""

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
    """A file on the first node, and where the others write it: `{node}` is a node's name, None the testbed's place.
    With `all_networks` it goes over as many as there are."""

    path: str
    to: str | None
    overwrite: bool
    compress: Literal["zstd", "lz4"] | None
    all_networks: bool


class Cast(ManyNodes, frozen=True):
    """A chain that passes an image on, chunk by chunk: synthetic bytes, or those of a file."""

    chunk_bytes: int
    networks: int
    sweep: bool
    file: CastFile | UnsetType = UNSET


class Ring(ManyNodes, frozen=True):
    """Each node sends to the next."""


class Random(ManyNodes, frozen=True):
    """Permutations or bisections drawn by chance, a phase each."""

    permutations: int
    seed: int
    shape: Literal["permutation", "bisection"]


class Search(ManyNodes, frozen=True, omit_defaults=True):
    """A search, which chooses its phases during the run and takes so long at most."""

    time_ns: int


class Xray(Search, frozen=True, omit_defaults=True):
    """The search for limits, or, if `quick`, for what is not like the others."""

    quick: bool = False


class Paths(Search, frozen=True):
    """The search for paths between leaves, by connections of so many ports."""

    ports: int


class Health(Search, frozen=True):
    """The search for what fails a little: rounds of random partners, until each node and leaf is decided."""


class Dependent(PatternBase, frozen=True):
    """What each node does depends on what it and others have done: its messages are no transfers that begin at once.
    Messages longer than `rendezvous_bytes` wait for their receive; of a trace it may be None: as its format has it."""

    nodes: Nodes
    rendezvous_bytes: int | None


class Ways(Struct, frozen=True, rename="kebab"):
    """The algorithm of each operation, where a trace says only the operation."""

    allreduce: str
    allgather: str
    alltoall: str
    bcast: str
    reduce_scatter: str


class Program(Dependent, frozen=True):
    """A trace of an application; `sha256` is that of its files once a run has read them. `groups` and `algorithms` are
    for traces of Chakra: a file of process groups, and how collectives go."""

    trace: str | None
    groups: str | UnsetType = UNSET
    algorithms: Ways | UnsetType = UNSET
    compute: Compute | UnsetType = UNSET
    sha256: str | UnsetType = UNSET


class Halo(Dependent, frozen=True):
    """Exchanges with the neighbours on a grid of nodes; `grid` is the cells in each dimension, or how many there are.
    `faces` are multiples of the size, by dimension."""

    grid: int | tuple[int, ...]
    periodic: bool
    corners: bool
    faces: tuple[int, ...]
    rounds: int
    work_ns: int
    compute: Compute | UnsetType = UNSET


class Collective(Dependent, frozen=True):
    """One operation of all nodes in several ways; the phases of a size are the ways (`weft._core.Program.ways`). In a
    simulation adding a byte takes `reduce_ps`."""

    operation: Literal["allreduce", "allgather", "alltoall", "bcast", "reduce-scatter"]
    algorithms: tuple[str, ...]
    group: int
    reduce_ps: int | UnsetType = UNSET

    @property
    def has_library(self) -> bool:
        """Whether an MPI library carries it out, too."""
        return LIBRARY in self.algorithms


class Interference(Dependent, frozen=True):
    """A victim alone and beside each of some congestors on other nodes; the phases of a size are `rounds` of that
    (`weft._core.Program.congestor`). The victim has a `share` of the nodes (`weft._core.Program.roles`), and is timed
    `repeats` times in a phase. A node of a congestor sends at most so many `messages`."""

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
    """A traffic simulation over more and more nodes; the phases are numbers of nodes (`weft._core.traffic_counts`). A
    car that passes the end of a link takes `compute_ns`; with a `scale` below 1 there are fewer, which take more."""

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
    """High-performance Linpack: `n` equations in blocks of `nb`, over a grid of processes, one on each node (the
    squarest of all nodes where there is none). A process computes `dgemm_flops` and `panel_flops` operations a second.
    `program` is the real one, where that runs. `budget_ns` is what all launches may take, where the plan leaves `n` to
    be chosen by that."""

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
        """Operations of the solution, as HPL counts them."""
        return (2 / 3 * self.n + 3 / 2) * self.n**2

    @property
    def matrix_bytes(self) -> int:
        """The matrix and its right side, over all nodes."""
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
