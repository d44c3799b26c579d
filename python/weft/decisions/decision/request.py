"""The content of a file of designs."""

from __future__ import annotations

import math
from typing import Annotated, Literal, Self, TypeAlias

from msgspec import Meta, field

from weft.base import catalog
from weft.base.amount import ByteCount, MoneyAmount, Part, Seconds
from weft.base.toml_file import TomlFile, TomlTable, WrongKey

Name: TypeAlias = Annotated[str, Meta(min_length=1)]
Positive: TypeAlias = Annotated[float, Meta(gt=0)]
Count: TypeAlias = Annotated[int, Meta(ge=1)]
By: TypeAlias = Literal["time", "cost", "cost-performance"]
Prices: TypeAlias = str | dict[str, object] | None
"""A price list by name or file, or the list itself."""


class DesignEntry(TomlTable, frozen=True):
    """A network, or several if its generator has ranges: `fabric` is a name, a file or a generator."""

    name: Name
    fabric: Name
    prices: Prices = None
    change: tuple[str, ...] = ()


class WorkloadEntry(TomlTable, frozen=True):
    """The purpose of the network: a plan with some keys changed, and its weight. An application runs it `repeat` times
    and computes in addition."""

    name: Name
    plan: Name
    settings: dict[str, object] = field(default_factory=dict)
    weight: Positive = 1.0
    nodes: Annotated[int, Meta(ge=2)] | None = None
    compute_s: Seconds = field(name="compute", default=Seconds(0.0))
    repeat: Count = 1


class Constraint(TomlTable, frozen=True):
    """A constraint on a design: the time of a workload or of one of its steps and sizes; a share; or a budget."""

    workload: str = ""
    step: str = ""
    size: ByteCount | None = None
    below_s: Seconds | None = field(name="below", default=None)
    share: Part | None = field(name="network_share_below", default=None)
    budget: MoneyAmount | None = None

    def __post_init__(self) -> None:
        if sum(map(bool, (self.below_s, self.share, self.budget))) != 1:
            raise ValueError("needs one of below, network_share_below and budget")
        if bool(self.below_s) != bool(self.workload) or (
            (self.step or self.size) and not self.workload
        ):
            raise ValueError('a time is written { workload = "all-to-all", below = "2 s" }')

    @property
    def size_bytes(self) -> int | None:
        return round(self.size) if self.size else None

    @property
    def is_part(self) -> bool:
        """Whether it is about a step or a size of a workload."""
        return bool(self.step or self.size)

    @property
    def text(self) -> str:
        """The constraint as text."""
        if self.budget:
            return f"budget {self.budget.text}"
        if self.share:
            return f"network at most {self.share.text} of the cluster's price"
        assert self.below_s
        size = self.size.text if self.size else ""
        where = " ".join(filter(None, (self.workload, self.step, size)))
        return f"{where} below {self.below_s.text}"


class _PartOfWorlds(Part):
    most = 1.0


class TimeRange(tuple[float, float]):
    """An uncertain time: its ends in seconds."""

    @classmethod
    def read(cls, value: object) -> Self:
        """Parse text such as "5 us..20 us"; raises ValueError."""
        low, _, high = str(value).partition("..")
        ends = float(Seconds.read(low)), float(Seconds.read(high))
        if ends[0] >= ends[1]:
            raise ValueError('is empty: write "5 us..20 us"')
        return cls(ends)


class ChoiceRule(TomlTable, frozen=True):
    """How to choose. Without `by`: the fastest within a budget, the cheapest if only times are limited, else the least
    product of price and time. Prices are of a design or per host. `bearable`: a smaller expected regret is tolerable.
    `wanted`: the share of worlds in which a design must keep all constraints."""

    by: By | None = None
    price_of: Literal["cluster", "network"] | None = None
    each: Literal["design", "host"] = "design"
    bearable: Part = field(name="regret_below", default=Part(0.02))
    wanted: _PartOfWorlds = field(name="kept_in", default=_PartOfWorlds(0.9))


class Uncertain(TomlTable, frozen=True):
    """What is uncertain: `"20 %"` means a factor from 1/1.2 to 1.2 in 90 % of worlds, `"5 us..20 us"` gives ends.
    `rates` are those of all links of an entry, `simulator` is about a workload's time on an entry."""

    prices: Part | None = None
    rates: Part | None = None
    simulator: Part | None = None
    overhead: TimeRange | None = None


class MoneyEntry(TomlTable, frozen=True):
    """How prices in several currencies and of several years are added up (docs/cost.md)."""

    currency: str | None = None
    year: int | None = None
    rates: dict[str, float] = field(default_factory=dict)
    inflation: float | None = None


class DecisionRequest(TomlTable, frozen=True):
    """The whole request. The first `hosts` hosts of each network take part; `phases` of a long step are simulated."""

    designs: Annotated[tuple[DesignEntry, ...], Meta(min_length=1)]
    workloads: Annotated[tuple[WorkloadEntry, ...], Meta(min_length=1)]
    name: str = ""
    title: str = ""
    hosts: Annotated[int, Meta(ge=2)] | None = None
    twin: str | None = None
    prices: Prices = None
    money: MoneyEntry = MoneyEntry()
    constraints: tuple[Constraint, ...] = ()
    decision: ChoiceRule = ChoiceRule()
    uncertain: Uncertain = Uncertain()
    phases: Count = 64
    draws: Annotated[int, Meta(ge=100, le=20_000)] = 1000

    def __post_init__(self) -> None:
        names = {
            "designs": [one.name for one in self.designs],
            "workloads": [one.name for one in self.workloads],
        }
        for kind, given in names.items():
            if twice := _repeated(given):
                raise ValueError(f"two {kind} are called {twice!r}: give each a name of its own")
        known = [one.name for one in self.workloads]
        for index, one in enumerate(self.constraints):
            if one.workload and one.workload not in known:
                raise WrongKey(
                    f"constraints[{index}].workload",
                    f"no such workload; {catalog.known_names(one.workload, known)}",
                )


def parse_request(text: str, origin: str) -> DecisionRequest:
    """Parse a request; raises RequestError with file, line and key."""
    return TomlFile(text, origin, "docs/decide.md lists all keys").decode(DecisionRequest)


def spread(part: Part | None) -> float:
    """The share as a logarithm: 20 % gives that of 1.2; 0 if there is none."""
    return math.log1p(part or 0.0)


def _repeated(names: list[str]) -> str:
    return next((name for name in names if names.count(name) > 1), "")
