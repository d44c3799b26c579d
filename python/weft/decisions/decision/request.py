"""What a file of designs says."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from typing import Annotated, Literal, TypeAlias

import msgspec
from msgspec import Meta, Struct, field

from weft import _core
from weft.base import catalog
from weft.base.errors import RequestError
from weft.base.files.text_file import parse_toml
from weft.base.quantity import parse

Name: TypeAlias = Annotated[str, Meta(min_length=1)]
Positive: TypeAlias = Annotated[float, Meta(gt=0)]
Count: TypeAlias = Annotated[int, Meta(ge=1)]
By: TypeAlias = Literal["time", "cost", "cost-performance"]
Prices: TypeAlias = str | dict[str, object] | None
"""A price list by name or file, or one itself."""

SECONDS = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}
PART = {"%": 0.01, "": 1.0}
SIZES = {"B": 1, "kB": 1e3, "MB": 1e6, "GB": 1e9, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}


class _Table(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A table of the file; other keys are refused."""


class DesignEntry(_Table, frozen=True):
    """A network, or several where its generator has ranges: `fabric` is a name, a file or a generator."""

    name: Name
    fabric: Name
    prices: Prices = None
    change: tuple[str, ...] = ()


class WorkloadEntry(_Table, frozen=True):
    """What the network is for: a plan with single keys changed, and how much it counts. An application carries it out
    `repeat` times and computes so long besides."""

    name: Name
    plan: Name
    settings: dict[str, object] = field(default_factory=dict)
    weight: Positive = 1.0
    nodes: Annotated[int, Meta(ge=2)] | None = None
    compute: str = ""
    repeat: Count = 1

    @property
    def compute_s(self) -> float:
        return _quantity(self.compute, SECONDS, "20 s") if self.compute else 0.0


class Constraint(_Table, frozen=True):
    """What a design must keep: a time of a workload, or of one of its steps and sizes; a share; or a budget."""

    workload: str = ""
    step: str = ""
    size: str = ""
    below: str = ""
    network_share_below: str = ""
    budget: str = ""

    def __post_init__(self) -> None:
        if sum(map(bool, (self.below, self.network_share_below, self.budget))) != 1:
            raise ValueError("needs one of below, network_share_below and budget")
        if bool(self.below) != bool(self.workload) or (
            (self.step or self.size) and not self.workload
        ):
            raise ValueError('a time is written { workload = "all-to-all", below = "2 s" }')

    @property
    def below_s(self) -> float | None:
        return _quantity(self.below, SECONDS, "2 s") if self.below else None

    @property
    def share(self) -> float | None:
        text = self.network_share_below
        return _quantity(text, PART, "25 %") if text else None

    @property
    def size_bytes(self) -> int | None:
        return round(_quantity(self.size, SIZES, "1 MB")) if self.size else None

    @property
    def is_part(self) -> bool:
        """Whether it is about a step or a size of a workload."""
        return bool(self.step or self.size)

    @property
    def text(self) -> str:
        """As people read it."""
        if self.budget:
            return f"budget {self.budget}"
        if self.network_share_below:
            return f"network at most {self.network_share_below} of the cluster's price"
        where = " ".join(filter(None, (self.workload, self.step, self.size)))
        return f"{where} below {self.below}"


class ChoiceRule(_Table, frozen=True):
    """How to choose. Without `by`: the fastest within a budget, the cheapest where only times are limited, and else the
    least product of price and time. Prices are of a design or for each of its hosts. `regret_below`: a smaller expected
    regret is none. `kept_in`: the part of worlds in which a design has to keep all constraints."""

    by: By | None = None
    price_of: Literal["cluster", "network"] | None = None
    each: Literal["design", "host"] = "design"
    regret_below: str = "2 %"
    kept_in: str = "90 %"

    @property
    def bearable(self) -> float:
        return _quantity(self.regret_below, PART, "2 %")

    @property
    def wanted(self) -> float:
        part = _quantity(self.kept_in, PART, "90 %")
        if part > 1:
            raise RequestError(
                f"decision.kept_in: {self.kept_in!r} is more than all worlds", 'write "90 %"'
            )
        return part


class Uncertain(_Table, frozen=True):
    """What is not known well: `"20 %"` is from 1/1.2 to 1.2 times in nine worlds of ten, `"5 us..20 us"` has ends.
    `rates` are those of all links of an entry, `simulator` is about a workload's time on an entry."""

    prices: str = ""
    rates: str = ""
    simulator: str = ""
    overhead: str = ""


class MoneyEntry(_Table, frozen=True):
    """How prices in several currencies and of several years are added up (docs/cost.md)."""

    currency: str | None = None
    year: int | None = None
    rates: dict[str, float] = field(default_factory=dict)
    inflation: float | None = None


class DecisionRequest(_Table, frozen=True):
    """All of it. `hosts` so many take part, the first of each network; `phases` so many of a long step to simulate."""

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
        for one in self.constraints:
            if one.workload and one.workload not in known:
                raise ValueError(
                    f"a constraint is about workload {one.workload!r}; {catalog.known_names(one.workload, known)}"
                )


def parse_request(text: str, origin: str) -> DecisionRequest:
    """That of a text; raises RequestError that names file, line and key."""
    table = parse_toml(text, origin)
    try:
        request = msgspec.convert(table, DecisionRequest)
        for check in _CHECKS:
            check(request)
    except msgspec.ValidationError as error:
        raise RequestError(
            _where(str(error), text, origin), "docs/decide.md lists all keys"
        ) from None
    except RequestError as error:
        raise RequestError(f"{origin}: {error.message}", error.hint) from None
    return request


def spread(text: str) -> float:
    """ "20 %" as the logarithm of 1.2; 0 where nothing is said."""
    if not text:
        return 0.0
    return math.log1p(_quantity(text, PART, "20 %"))


def ends_s(text: str) -> tuple[float, float]:
    """ "5 us..20 us" in seconds."""
    low, _, high = text.partition("..")
    found = _quantity(low, SECONDS, "5 us..20 us"), _quantity(high, SECONDS, "5 us..20 us")
    if found[0] >= found[1]:
        raise RequestError(f"uncertain.overhead: {text!r} is empty", 'write "5 us..20 us"')
    return found


def amount(text: str) -> tuple[float, str]:
    """ "400000 USD" as number and currency."""
    form = re.fullmatch(r"\s*+([\d_ ,]++(?:\.\d++)?)\s*+([A-Za-z]{3})\s*+", text)
    if form is None:
        raise RequestError(f"budget {text!r} is no amount", 'write "400000 USD"')
    return float(re.sub(r"[_ ,]", "", form[1])), form[2].upper()


def _quantity(text: str, units: Mapping[str, float], example: str) -> float:
    found = parse(text, units)
    if found is None or not 0 < found < 1e12:
        raise RequestError(f"{text!r} is no quantity above 0", f"write for example {example!r}")
    return found


def _repeated(names: list[str]) -> str:
    return next((name for name in names if names.count(name) > 1), "")


def _where(message: str, text: str, origin: str) -> str:
    """`$.designs[0].fabric` as a line of the file."""
    what, _, path = message.partition(" - at `$")
    key = path.rstrip("`").lstrip(".")
    line = _core.line_of(text, key) if key else None
    at = f":{line}" if line else ""
    return f"{origin}{at}: {f'{key}: ' if key else ''}{what[:1].lower()}{what[1:]}"


def _check_quantities(request: DecisionRequest) -> None:
    for one in request.constraints:
        _ = one.below_s, one.share, one.size_bytes
        if one.budget:
            amount(one.budget)


def _check_uncertain(request: DecisionRequest) -> None:
    _ = [one.compute_s for one in request.workloads]
    _ = request.decision.bearable, request.decision.wanted
    own = request.uncertain
    for text in (own.prices, own.rates, own.simulator):
        spread(text)
    if own.overhead:
        ends_s(own.overhead)


_CHECKS: tuple[Callable[[DecisionRequest], None], ...] = (_check_quantities, _check_uncertain)
