"""A resolved plan and its steps, with the keys of `weft._core` and run.json. Immutable."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias, TypeVar

import msgspec
from msgspec import UNSET, Struct, UnsetType

from weft.plan.pattern import (
    Dependent,
    ManyNodes,
    Nodes,
    Pattern,
    PatternBase,
    Search,
)

P = TypeVar("P", bound=PatternBase)


class Rate(Struct, frozen=True, omit_defaults=True):
    """The rate of a stream of datagrams: in bits per second, or as a share of the maximum."""

    bits_per_s: int | None = None
    percent: int | None = None


class Options(Struct, frozen=True):
    """Options of sockets and processors; None leaves them to the system. `cpus` has one for each node; empty means that
    the kernel chooses."""

    send_buffer_bytes: int | None = None
    receive_buffer_bytes: int | None = None
    nodelay: bool = True
    congestion: str | None = None
    cpus: tuple[int, ...] | None = None
    wait: Literal["auto", "block", "spin"] = "auto"
    verify: bool = False
    rate: Rate | UnsetType = UNSET
    mpi: Literal["openmpi", "mpich"] | UnsetType = UNSET
    calls: Literal["blocking", "nonblocking"] | UnsetType = UNSET
    stripes: int | UnsetType = UNSET
    busy_poll_ns: int | UnsetType = UNSET
    mss_bytes: int | UnsetType = UNSET
    pacing_bits_per_s: int | UnsetType = UNSET
    knobs: dict[str, str] | UnsetType = UNSET
    """Settings of the nodes during the step: values by knob name, followed by "@" and a node if for one only."""
    evidence: bool | UnsetType = UNSET
    """Whether the kernel's counters are read before and after batches; the default is yes."""


class TimeRule(Struct, frozen=True, tag_field="rule", tag="time"):
    """Messages are repeated until a trial lasts `trial_ns`."""

    trial_ns: int
    trials: int
    at_least: int = 1
    at_most_ns: int | None = None


class CountRule(Struct, frozen=True, tag_field="rule", tag="count"):
    """A trial is `repeats` messages. Round trips between many nodes are fewer if they would take longer than
    `at_most_ns`."""

    repeats: int
    trials: int
    at_most_ns: int | UnsetType = UNSET


StopRule: TypeAlias = TimeRule | CountRule


class Goal(Struct, frozen=True):
    """Launches continue, size by size, until the half-width of the median's interval is at most `width_ppm` (parts per
    million of it), or `time_ns` are over.

    "decided" also ends a size when the shares of its modes are known; `simultaneous` intervals hold for all sizes
    together.
    """

    rule: Literal["decided", "relative"]
    width_ppm: int
    time_ns: int
    simultaneous: bool = False

    @property
    def width(self) -> float:
        """The width as a share of the median."""
        return self.width_ppm / 1e6

    @property
    def longest_ns(self) -> int:
        """Larger messages are left out once they take longer than the first size by this, since many launches must fit
        into the time."""
        return self.time_ns // MESSAGES_IN_TIME


MESSAGES_IN_TIME = 100
"""The largest message of a step with a goal takes at most this fraction of the goal's time."""
GOAL_TRIALS = 3
"""Batches of a size in the first launches: one outlier does not move their median."""
LEAST_BATCH_NS = 4_000_000
"""Minimum planned length of a batch in the first launches. A batch gives the mean of its messages; the median of means
of few messages would miss rare slow ones."""


CONFIRMING_LAUNCHES = 2
"""A jump pinned in one launch must occur in this many others."""


class SizeList(Struct, frozen=True, tag_field="schedule", tag="list"):
    """An explicit list of message sizes."""

    bytes: tuple[int, ...]


class Powers(Struct, frozen=True, tag_field="schedule", tag="powers"):
    """`min_bytes`, then times `base` up to `max_bytes`."""

    base: int
    min_bytes: int
    max_bytes: int


class Octaves(Struct, frozen=True, tag_field="schedule", tag="octaves"):
    """From `min_bytes` to `max_bytes` at equal ratios, `per_octave` sizes per doubling."""

    per_octave: int
    min_bytes: int
    max_bytes: int


class NetpipeSizes(Struct, frozen=True, tag_field="schedule", tag="netpipe"):
    """NetPIPE's sizes: two an octave, each with a neighbour on either side."""

    min_bytes: int
    max_bytes: int
    perturbation_bytes: int


class Over(Struct, frozen=True):
    """The step that a step is derived from, and its own values by dotted key as written: {"options.send_buffer": "8
    KiB"}; "default" if the key is unset."""

    of: str
    values: dict[str, str]


class Step(Struct, frozen=True):
    """One measurement of a plan. Imported runs have transports that no plan can name."""

    name: str
    pattern: Pattern
    transport: str
    options: Options
    sizes: SizeList | Powers | Octaves | NetpipeSizes
    stop: StopRule
    until_ns: int | None
    goal: Goal | UnsetType = UNSET
    pin_ns: int | UnsetType = UNSET
    """Time for pinning jumps between sizes to the byte, by phases chosen during the run."""
    over: Over | UnsetType = UNSET
    network: int | Literal["each"] | UnsetType = UNSET
    """The index of the network for transfers between many nodes; the first if missing. "each" becomes one step a
    network once the testbed is known."""

    @property
    def on_network(self) -> int:
        """The index of the network for its transfers."""
        return self.network if isinstance(self.network, int) else 0

    @property
    def is_ensemble(self) -> bool:
        """Whether it runs between many nodes at once: its phases are sets of transfers, and a size is measured on many
        routes, so that it is no point of a curve."""
        return isinstance(self.pattern, ManyNodes)

    @property
    def is_program(self) -> bool:
        """Whether its nodes follow a program with dependencies: a phase is a whole program."""
        return isinstance(self.pattern, Dependent)

    @property
    def is_adaptive(self) -> bool:
        """Whether its phases are chosen while it runs."""
        return isinstance(self.pattern, Search)

    def pattern_as(self, kind: type[P]) -> P:
        """Its pattern, which has to be of this kind; raises TypeError."""
        if not isinstance(self.pattern, kind):
            raise TypeError(f"step {self.name!r} is a {self.pattern.kind}, not a {kind.__name__}")
        return self.pattern

    @property
    def measures_latency(self) -> bool:
        """Whether a row of samples times round trips."""
        return self.pattern.measures_latency

    @property
    def chosen_nodes(self) -> Nodes:
        """The nodes that a step between many nodes names; None means all."""
        return self.pattern.nodes if isinstance(self.pattern, (ManyNodes, Dependent)) else None

    def members(self, nodes: int) -> tuple[int, ...]:
        """The nodes that it is for, in order: those that it names, or all of `nodes`."""
        return self.chosen_nodes or tuple(range(nodes))

    @property
    def first_bytes(self) -> int:
        """The first message size."""
        return self.sizes.bytes[0] if isinstance(self.sizes, SizeList) else self.sizes.min_bytes

    @property
    def crossings(self) -> int:
        """How often the network is crossed for each message that a row counts: twice if an equal message returns."""
        return 2 if self.measures_latency or self.pattern.is_two_way else 1

    def paced(self, sizes: int, launches: int) -> Step:
        """The step for the first launches, which together take half of the goal's time; unchanged without a goal."""
        if not self.goal or not isinstance(self.stop, TimeRule):
            return self
        share_ns = max(self.goal.time_ns // (2 * launches * sizes), LEAST_BATCH_NS)
        until_ns = self.goal.longest_ns if self.until_ns is None else self.until_ns
        stop = msgspec.structs.replace(
            self.stop,
            trial_ns=min(self.stop.trial_ns, max(share_ns // GOAL_TRIALS, LEAST_BATCH_NS)),
            trials=min(self.stop.trials, GOAL_TRIALS),
            at_most_ns=share_ns,
        )
        return msgspec.structs.replace(
            self, stop=stop, until_ns=min(until_ns, self.goal.longest_ns)
        )


class Entrant(Struct, frozen=True):
    """A candidate of a race: the indices of its steps in the plan."""

    name: str
    steps: tuple[int, ...]


class Race(Struct, frozen=True):
    """Each launch is a block in which the candidates run in random order; candidates known to lose are dropped.

    No block starts after `time_ns`, half of which is for the race and the rest for its confirmation. A ratio closer to
    one than `margin_ppm` (parts per million) does not matter.
    """

    baseline: str
    measure: Literal["throughput", "latency", "mixed", "time"]
    margin_ppm: int
    time_ns: int
    confirm: Literal["winner", "all", "none"]
    candidates: tuple[Entrant, ...]
    seed: int | UnsetType = UNSET

    @property
    def margin(self) -> float:
        """The margin as a share."""
        return self.margin_ppm / 1e6

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the candidates."""
        return tuple(one.name for one in self.candidates)

    def steps_of(self, candidate: str) -> tuple[int, ...]:
        """The indices of a candidate's steps."""
        return next(one.steps for one in self.candidates if one.name == candidate)


class Plan(Struct, frozen=True):
    """A list of measurements and how often to launch them."""

    name: str
    title: str
    launches: int
    steps: tuple[Step, ...]
    left_out: tuple[str, ...] | UnsetType = UNSET
    """Options of the plan that the transport given on the command line does not have."""
    race: Race | UnsetType = UNSET
    """If set, steps are candidates, and each launch is a block of the race."""

    def steps_of(self, kind: type[P]) -> list[tuple[int, Step, P]]:
        """The steps whose pattern is of a kind, with their positions: one pattern, or a class of them such as
        ManyNodes."""
        steps = enumerate(self.steps)
        return [(at, one, one.pattern) for at, one in steps if isinstance(one.pattern, kind)]

    @property
    def is_search(self) -> bool:
        """Whether a step's phases depend on the results of earlier ones."""
        return bool(self.steps_of(Search))

    @property
    def pilots(self) -> int:
        """Launches in which a step that pins measures its sizes; the others confirm the result."""
        return max(1, self.launches - CONFIRMING_LAUNCHES)

    @property
    def networks(self) -> list[int]:
        """Indices of the networks used by its steps between many nodes."""
        return sorted({step.on_network for _, step, _ in self.steps_of(ManyNodes)})

    def with_step(self, index: int, step: Step) -> Plan:
        """The plan with the step at `index` replaced."""
        steps = (*self.steps[:index], step, *self.steps[index + 1 :])
        return msgspec.structs.replace(self, steps=steps)


def to_json(value: object) -> str:
    """A plan, or a part of one, as JSON for `weft._core`."""
    return msgspec.json.encode(value).decode()


def to_data(value: object) -> Any:  # type: ignore[explicit-any]  # whatever JSON has
    """A plan, or a part of one, as dictionaries and lists."""
    return msgspec.json.decode(msgspec.json.encode(value))
