"""The Rust crates: text in, JSON out. Wrong input raises RefusedError with the whole message."""

from collections.abc import Sequence
from typing import Any, NotRequired, TypeAlias, TypedDict

from weft.base.errors import RequestError

Columns: TypeAlias = dict[str, bytes]
"""Columns of a table by name, as numbers in memory layout."""

class RefusedError(RequestError):
    """A wrong request: what, where, and what would be right."""

class PhaseAnswer(TypedDict):
    """Phases that were simulated; `measure.testbed.computed.outcome` says what each entry is."""

    phases: list[tuple[int, int, int, int, list[tuple[int, int]], int]]
    span_ns: int
    idle_s: float
    events: int
    rows: Columns
    loads: Columns
    digests: Columns
    tally: Columns

class ProgramAnswer(PhaseAnswer):
    """Programs that were played; `traffic` is of those that are traffic, None where their messages were not sampled."""

    activities: Columns
    laps: Columns
    messages: int
    traffic: NotRequired[Columns | None]

class NodeAnswer(PhaseAnswer):
    """Phases between two simulated nodes; `deliveries` only where messages may be lost."""

    occupation: Columns
    budgets: Columns
    categories: Columns
    responses: Columns
    applications: Columns
    cache_hits: Columns
    deliveries: NotRequired[Columns]
    failures: list[tuple[int, str]]

class Recording(TypedDict):
    """What happened in a phase between two simulated nodes; `is_cut` where it was too much to record all."""

    slices: Columns
    passages: Columns
    readings: Columns
    batches_ps: list[int]
    is_cut: bool
    period_ps: int

class CarCensus(TypedDict):
    """Where the cars of a simulated traffic are, with a hash of it all; the seconds it took, and how often a car
    passed the end of a link."""

    elapsed_s: float
    passed: int
    hash: str
    home: int
    waiting: int
    driving: int
    arrived: int

def load_plan(
    text: str, origin: str, overrides: list[tuple[str, str]], max_message_bytes: int
) -> str:
    """The resolved plan as JSON."""

def step_keys(text: str, origin: str, max_message_bytes: int) -> str:
    """The steps of a plan as JSON, each with the keys of its pattern: what they take, and the values that are given."""

def expand_step(step: str, nodes: int) -> str:
    """The phases of a step of a resolved plan over so many nodes, as a JSON list."""

def check_step(step: str, nodes: int) -> None:
    """Refuses a step of a resolved plan that has no phases over so many nodes."""

def load_fabric(text: str, origin: str, scale: float) -> str:
    """The resolved fabric as JSON, its rates multiplied by `scale`."""

def load_prices(text: str, origin: str) -> str:
    """A file of prices as JSON."""

def fabric_wiring(fabric: str) -> tuple[int, int, bytes, bytes, bytes, bytes]:
    """What is connected how in a resolved fabric; see `Network.wiring`."""

def fabric_tree(fabric: str, network: int) -> list[tuple[str, str | None]]:
    """The nodes of a network of a resolved fabric with the one above each; the root is the first, and each stands
    behind the one above. Of several trees, that of the first host."""

def frame_bytes(mtu_bytes: int) -> tuple[int, int, int]:
    """Of the largest frame: payload, bytes inside of a switch, bytes on a wire."""

def line_of(text: str, key: str) -> int | None:
    """The line of a key such as `nodes[0].ids` in a TOML text, from 1; of what is around it where it is missing."""

def unknown_key(key: str, known: list[str]) -> str:
    """What is said of an unknown key, with the nearest known one."""

class Network:
    """A network that is ready to be simulated. Columns are bytes: numbers as they lie in memory."""

    @staticmethod
    def declared(text: str, origin: str, scale: float) -> Network:
        """The network of a fabric's text."""

    @staticmethod
    def generated(
        name: str, values: dict[str, str], scale: float, host_names: list[str] = []
    ) -> Network | None:
        """The network of a generator, its first hosts called so; None where there is no such generator."""

    @staticmethod
    def explicit(
        name: str,
        hosts: list[str],
        constraints: list[tuple[str, float, float, bool]],
        routes: list[tuple[int, int, Sequence[int]]],
    ) -> Network:
        """Hosts, constraints (name, bit/s, delay in seconds, whether connections share it), and the constraints from a
        host to another."""

    @staticmethod
    def generators() -> list[tuple[str, str]]:
        """The names of the generators, each with an example."""

    @staticmethod
    def default_parameters() -> dict[str, float | str | None]:
        """What `simulate` takes for granted where it is not told otherwise."""

    def wiring(self) -> tuple[int, int, bytes, bytes, bytes, bytes] | None:
        """Hosts, cables of an interface; and 32-bit columns: ports by switch, the two ends of each cable (hosts first,
        then switches), network by cable; and a 64-bit one: bit/s by cable, 0 where nothing limits it. None where only
        routes are known."""

    @property
    def name(self) -> str: ...
    @property
    def routing(self) -> str:
        """What chooses the path of a pair, in a few words."""
    def hosts(self) -> list[str]: ...
    def networks(self) -> int: ...
    def dead_hosts(self) -> list[int]: ...
    def contended(self) -> list[str]:
        """The constraints whose capacity depends on how many hosts contend."""

    def constraints(self) -> list[str]: ...
    def unshared(self) -> list[int]:
        """The constraints, by index, that connections do not share: each gets as much."""

    def capacities(self) -> bytes:
        """Bit/s by constraint, as doubles; infinite where there is no limit."""

    def delays(self) -> bytes:
        """The delay behind each constraint in seconds, as doubles."""

    def has_frames(self) -> bool:
        """Whether messages become frames, and frames are acknowledged; else capacities are what messages get."""

    def expansion(self, src: int, dst: int) -> float:
        """Wire bits for each bit of a long stream over a way."""

    def way(self, src: int, dst: int, network: int) -> tuple[list[int], float] | None:
        """The constraints from one host to another and the delay of the way in seconds."""

    def phase_count(self, step: str) -> int:
        """How many phases a step has here."""

    def refusal(self, step: str, **parameters: Any) -> str | None:
        """Why a step cannot be simulated with these parameters; None where it can."""

    def simulate(
        self,
        step: str,
        first: int,
        last: int,
        lost: set[int],
        with_loads: bool,
        **parameters: float | str | None,
    ) -> PhaseAnswer:
        """The phases `first` to `last`, without it, of a step."""

    def condense(
        self,
        step: str,
        first: int,
        last: int,
        lost: set[int],
        most_rows: int,
        **parameters: float | str | None,
    ) -> PhaseAnswer:
        """The phases `first` to `last`, without it, of a step: a digest and about so many rows of each."""

    def play(
        self,
        program: Program,
        rendezvous_bytes: int,
        hosts: list[int],
        most_rows: int,
        **parameters: float | str | None,
    ) -> ProgramAnswer:
        """A program whose ranks are these hosts; about so many of its messages are kept."""

    def play_made(
        self,
        step: str,
        first: int,
        last: int,
        most_rows: int,
        **parameters: float | str | None,
    ) -> ProgramAnswer:
        """The phases `first` to `last`, without it, of a step whose programs follow from it: a collective, a halo,
        Linpack; about so many messages of each are kept."""

    def play_traffic(
        self,
        step: str,
        first: int,
        last: int,
        most_rows: int,
        **parameters: float | str | None,
    ) -> ProgramAnswer:
        """The phases `first` to `last`, without it, of a step that is traffic; about so many messages of each are
        kept."""

    def simulate_chosen(
        self,
        step: str,
        phases: str,
        lost: set[int],
        with_loads: bool,
        **parameters: float | str | None,
    ) -> PhaseAnswer:
        """Phases that were chosen for a step, given as JSON with a stop rule each."""

def check_traffic(step: str) -> None:
    """Refuses a step whose cars have no routes."""

def traffic_counts(step: str, members: int) -> list[int]:
    """The numbers of nodes of a step's phases, where so many take part."""

def simulate_traffic(step: str, domains: int, seconds: int) -> CarCensus:
    """So many seconds from the start over so many domains in this process."""

class Program:
    """What each rank computes, sends and receives."""

    @staticmethod
    def parse(content: bytes, origin: str) -> Program:
        """Reads GOAL, as text or as LogGOPSim's txt2bin writes it."""

    @staticmethod
    def of_chakra(files: list[tuple[str, bytes]], groups: str | None, pattern: str) -> Program:
        """Reads the traces that Chakra has of each rank, with their names; `groups` is the text of a file of process
        groups, the pattern says how collectives go."""

    @staticmethod
    def of_phases(phases: str, nodes: int) -> Program:
        """What phases make nodes do, with a barrier between them."""

    @staticmethod
    def of_step(step: str, phase: int, nodes: int) -> Program:
        """What so many nodes do in a phase of a step whose pattern says so: a collective, a halo, Linpack."""

    @staticmethod
    def lines_of_step(step: str, phase: int, nodes: int, peers: list[int]) -> list[str]:
        """What each of so many nodes does in a phase of a step that is a program, as lines of numbers for programs
        without JSON, with the bytes of a collective; `peers` has what each rank is called in them."""

    @staticmethod
    def check_hpl(step: str, nodes: int) -> None:
        """Refuses a step that is Linpack over so many nodes whose program would be too large."""

    @staticmethod
    def grid(step: str, nodes: int) -> tuple[int, int]:
        """Rows and columns of the processes of a step that is Linpack, over so many nodes."""

    @staticmethod
    def ways(step: str, nodes: int) -> list[str]:
        """The names of a collective's algorithms over so many nodes, in the order of its phases at a size."""

    @staticmethod
    def check_ways(step: str, nodes: int) -> None:
        """Refuse so many nodes for which a collective names an algorithm that is not for as many."""

    @staticmethod
    def added_bytes(step: str, phase: int, nodes: int, rank: int) -> int:
        """How many bytes a rank of a collective adds to others in a phase."""

    @staticmethod
    def roles(step: str, nodes: int) -> tuple[list[int], list[int]]:
        """Of a step that is interference over so many nodes: the victim's nodes, and the congestors'."""

    @staticmethod
    def congestor(step: str, phase: int) -> str | None:
        """The congestor of a phase of such a step; None where the victim is alone."""

    def flows(self) -> list[tuple[int, int, int]]:
        """Source and destination of all messages, and how many bytes go from the one to the other."""

    @property
    def ranks(self) -> int: ...
    @property
    def operations(self) -> int: ...
    @property
    def messages(self) -> int: ...
    def check(self, rendezvous_bytes: int) -> None:
        """Refuses one with a message that has one end only, and one that never ends."""

    def part_of(self, rank: int) -> str:
        """What one rank does, as JSON for its agent; refuses messages of a rank to itself."""

    def lines(self, peers: list[int]) -> list[str]:
        """What each rank does, as `lines_of_step` has it."""

    def to_text(self) -> str: ...
    def to_binary(self) -> bytes: ...

class Machine:
    """Two nodes of a kind, ready to be simulated, with the face of a network."""

    @staticmethod
    def load(
        text: str, origin: str, placement: str | None, overrides: list[tuple[str, str]]
    ) -> Machine:
        """The machine of a description's text, with one of its placements."""

    @staticmethod
    def tasks() -> list[str]:
        """What a placement places."""

    @staticmethod
    def stages() -> list[str]:
        """What a message passes, in this order."""

    @property
    def name(self) -> str: ...
    @property
    def title(self) -> str: ...
    def placement(self) -> list[tuple[str, str]]:
        """Which processor does each task."""

    def idle(self, key: str, has_pairs: bool) -> str | None:
        """Why a key changes nothing, if it does not: for one pair, or for several."""

    def hosts(self) -> list[str]: ...
    def networks(self) -> int: ...
    def dead_hosts(self) -> list[int]: ...
    @staticmethod
    def accesses() -> list[str]:
        """What caches are asked for."""

    def caches(self) -> list[str]:
        """The names of a processor's caches; none where memory is described by its mean access time."""

    def parts(self) -> list[str]:
        """The processors of a node, and what they share."""

    def constraints(self) -> list[str]: ...
    def phase_count(self, step: str) -> int:
        """How many phases a step has here."""

    def refusal(self, step: str) -> str | None:
        """Why a step cannot be simulated on this machine, if it cannot."""

    def settings(self, step: str) -> dict[str, str | int]:
        """What the MPI library of a step is set to; nothing for other transports."""

    def simulate(self, step: str, first: int, last: int) -> NodeAnswer:
        """The phases `first` to `last`, without it, of a step between the two nodes."""

    def categories(self) -> list[str]:
        """What cycles are accounted to, where the description says it."""

    def tracks(self) -> list[str]:
        """The parts of a node that do one thing at a time, as recordings number them."""

    @staticmethod
    def acts() -> list[str]:
        """What slices of a recording do, by number."""

    def record(self, step: str, phase: int) -> Recording:
        """One phase of a ping-pong or stream, and everything that happened in it."""
