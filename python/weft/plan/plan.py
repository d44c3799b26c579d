"""A resolved plan and its steps, with the keys that `weft._core` and run.json have. Nothing of it changes in place."""

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
    """How fast a stream of datagrams is sent: so many bits a second, or a share of the fastest."""

    bits_per_s: int | None = None
    percent: int | None = None


class Options(Struct, frozen=True):
    """What is asked of sockets and processors; None leaves it to the system. `cpus` has one for each node, none
    where the kernel chooses."""

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
    """Settings of the nodes while the step runs: values by the name of a knob, with "@" and a node where of one."""
    evidence: bool | UnsetType = UNSET
    """Whether the kernel's counters are read before and after batches, which they are where nothing is said."""


class TimeRule(Struct, frozen=True, tag_field="rule", tag="time"):
    """Messages are repeated so that a trial lasts `trial_ns`."""

    trial_ns: int
    trials: int
    at_least: int = 1
    at_most_ns: int | None = None


class CountRule(Struct, frozen=True, tag_field="rule", tag="count"):
    """A trial is `repeats` messages. Round trips between many nodes are fewer where they would take longer than
    `at_most_ns`."""

    repeats: int
    trials: int
    at_most_ns: int | UnsetType = UNSET


StopRule: TypeAlias = TimeRule | CountRule


class Goal(Struct, frozen=True):
    """Launches go on, size by size, until the interval of the median reaches at most `width_ppm` (parts of a million of
    it) to either side, or until `time_ns` are over. "decided" also ends a size when the shares of its modes are known;
    `simultaneous` intervals hold for all sizes together."""

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
        """Messages that take longer than the first size by this are left out: a launch has to fit in many times."""
        return self.time_ns // MESSAGES_IN_TIME


MESSAGES_IN_TIME = 100
"""The largest message of a step with a goal takes at most so small a part of the goal's time."""
GOAL_TRIALS = 3
"""Batches of a size in the first launches: their median is not moved by one of them."""
LEAST_BATCH_NS = 4_000_000
"""No batch of the first launches is planned to be shorter: a batch gives the mean of its messages, and the median of
means of a few messages misses the rare slow ones that are in a mean of many."""


CONFIRMING_LAUNCHES = 2
"""A jump that was pinned in one launch must be there in so many others."""


class SizeList(Struct, frozen=True, tag_field="schedule", tag="list"):
    """Exactly these message sizes."""

    bytes: tuple[int, ...]


class Powers(Struct, frozen=True, tag_field="schedule", tag="powers"):
    """`min_bytes`, then times `base` up to `max_bytes`."""

    base: int
    min_bytes: int
    max_bytes: int


class Octaves(Struct, frozen=True, tag_field="schedule", tag="octaves"):
    """From `min_bytes` to `max_bytes` at equal ratios, `per_octave` to each doubling."""

    per_octave: int
    min_bytes: int
    max_bytes: int


class NetpipeSizes(Struct, frozen=True, tag_field="schedule", tag="netpipe"):
    """NetPIPE's: two sizes an octave, each with a neighbour to either side."""

    min_bytes: int
    max_bytes: int
    perturbation_bytes: int


class Over(Struct, frozen=True):
    """The step of the plan that a step is made from, and the values that are its own, by dotted key as written:
    {"options.send_buffer": "8 KiB"}; "default" where the key is left out."""

    of: str
    values: dict[str, str]


class Step(Struct, frozen=True):
    """One thing to measure. Imported runs name transports that no plan can."""

    name: str
    pattern: Pattern
    transport: str
    options: Options
    sizes: SizeList | Powers | Octaves | NetpipeSizes
    stop: StopRule
    until_ns: int | None
    goal: Goal | UnsetType = UNSET
    pin_ns: int | UnsetType = UNSET
    """For so long jumps between sizes are pinned to the byte, by phases that are chosen while it runs."""
    over: Over | UnsetType = UNSET
    network: int | Literal["each"] | UnsetType = UNSET
    """Of their nodes' networks the one that transfers between many nodes take, from 0; the first where it is missing.
    Once a testbed is known, "each" is a step for each of them."""

    @property
    def on_network(self) -> int:
        """The network that its transfers take, from 0."""
        return self.network if isinstance(self.network, int) else 0

    @property
    def is_ensemble(self) -> bool:
        """Whether it runs between many nodes at once: its phases are sets of transfers, and a size is measured on many
        routes, so that it is no point of a curve."""
        return isinstance(self.pattern, ManyNodes)

    @property
    def is_program(self) -> bool:
        """Whether its nodes do one thing after another, as a program says: a phase is a whole program."""
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
        """Whether a row of it times round trips."""
        return self.pattern.measures_latency

    @property
    def chosen_nodes(self) -> Nodes:
        """The nodes that a step between many names."""
        return self.pattern.nodes if isinstance(self.pattern, (ManyNodes, Dependent)) else None

    def members(self, nodes: int) -> tuple[int, ...]:
        """The nodes that it is for, in their order: those that it names, or all of so many."""
        return self.chosen_nodes or tuple(range(nodes))

    @property
    def first_bytes(self) -> int:
        """The first of its message sizes."""
        return self.sizes.bytes[0] if isinstance(self.sizes, SizeList) else self.sizes.min_bytes

    @property
    def crossings(self) -> int:
        """How often a message crosses the network for each that a row counts: twice where as many come back."""
        return 2 if self.measures_latency or self.pattern.is_two_way else 1

    def paced(self, sizes: int, launches: int) -> Step:
        """The step as its first launches carry it out if it has a goal: so many together take half of the time."""
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
    """A candidate of a race: its steps by their positions in the plan."""

    name: str
    steps: tuple[int, ...]


class Race(Struct, frozen=True):
    """Each launch is a block in which the candidates run in random order; those that are known to lose are dropped. No
    block begins after `time_ns`, half of which is for the race and the rest for its confirmation. A ratio that is
    nearer to one than `margin_ppm` (parts of a million) does not matter."""

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
        """Those of its candidates."""
        return tuple(one.name for one in self.candidates)

    def steps_of(self, candidate: str) -> tuple[int, ...]:
        """The positions of a candidate's steps."""
        return next(one.steps for one in self.candidates if one.name == candidate)


class Plan(Struct, frozen=True):
    """What to measure."""

    name: str
    title: str
    launches: int
    steps: tuple[Step, ...]
    left_out: tuple[str, ...] | UnsetType = UNSET
    """Options that the plan has, and a transport that was given beside it has not."""
    race: Race | UnsetType = UNSET
    """The steps are candidates, and each launch is a block of it."""

    def steps_of(self, kind: type[P]) -> list[tuple[int, Step, P]]:
        """The steps whose pattern is of a kind, with their positions: one pattern, or a class of them such as
        ManyNodes."""
        steps = enumerate(self.steps)
        return [(at, one, one.pattern) for at, one in steps if isinstance(one.pattern, kind)]

    @property
    def is_search(self) -> bool:
        """Whether a step chooses its phases by what those before it have found."""
        return bool(self.steps_of(Search))

    @property
    def pilots(self) -> int:
        """Launches in which a step that pins goes through its sizes; the others confirm what it found."""
        return max(1, self.launches - CONFIRMING_LAUNCHES)

    @property
    def networks(self) -> list[int]:
        """The networks that its steps between many nodes go over, from 0."""
        return sorted({step.on_network for _, step, _ in self.steps_of(ManyNodes)})

    def with_step(self, index: int, step: Step) -> Plan:
        """The plan with another step at `index`."""
        steps = (*self.steps[:index], step, *self.steps[index + 1 :])
        return msgspec.structs.replace(self, steps=steps)


def to_json(value: object) -> str:
    """A plan, or a part of one, as `weft._core` reads it."""
    return msgspec.json.encode(value).decode()


def to_data(value: object) -> Any:  # type: ignore[explicit-any]  # whatever JSON has
    """The same as dictionaries and lists."""
    return msgspec.json.decode(msgspec.json.encode(value))
