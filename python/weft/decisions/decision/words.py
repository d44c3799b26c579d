"""A decision in a few sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from msgspec.structs import replace

from weft.decisions.decision.document import DesignDecision, DesignResult, Sensitivity
from weft.decisions.decision.quantities import Kind, UncertainQuantity
from weft.decisions.decision.request import By, DecisionRequest
from weft.decisions.decision.workloads import WeightedWorkload

_LEAST = {
    "time": "the least time",
    "cost": "the lowest price",
    "cost-performance": "the least product of price and time",
}
_KINDS: dict[Kind, str] = {
    "price": "prices",
    "rates": "rates of links",
    "host": "hosts",
    "simulator": "the simulator's own error",
}
_HOW = "[uncertain] says how well prices, rates, hosts and the simulator are known"


@dataclass(frozen=True)
class RunnerUp:
    """The second-best design at the medians, and its loss relative to the best."""

    name: str
    ratio: float


@dataclass(frozen=True)
class PriceMargin:
    """How much the unpriced parts may cost, in total or per host, before a design with a complete bill is better."""

    most: float
    currency: str
    is_per_host: bool
    other: str


@dataclass(frozen=True)
class ShortBill:
    """Parts of the chosen design without a price, which others have priced or do not need."""

    parts: tuple[str, ...]
    room: PriceMargin | None

    @property
    def learn(self) -> str:
        """How to find the missing prices."""
        return f"ask for an offer: {', '.join(self.parts)}"


def text_of(
    found: DesignDecision,
    after: RunnerUp | None,
    short: ShortBill | None,
    learn: Sensitivity | None,
    quantities: Sequence[UncertainQuantity],
    basis: tuple[str, ...],
) -> DesignDecision:
    """The decision with its text."""
    uncertain = _joined(kinds_of(quantities))
    sentences = _short(found, short) if short else _sentences(found, after, learn, uncertain)
    return replace(found, text=" ".join(sentences), basis=basis)


def without(found: DesignDecision, workloads: Sequence[str]) -> DesignDecision:
    """The decision with a statement of the workloads that it does not cover."""
    if not workloads:
        return found
    names = _joined(workloads)
    return replace(found, text=f"{found.text} Left out, as it cannot be estimated: {names}.")


def kinds_of(quantities: Sequence[UncertainQuantity]) -> list[str]:
    """The uncertain quantities, named for users."""
    present = {one.kind for one in quantities}
    return [name for kind, name in _KINDS.items() if kind in present]


def _sentences(
    found: DesignDecision, after: RunnerUp | None, learn: Sensitivity | None, uncertain: str
) -> Iterator[str]:
    if found.chosen is None:
        yield _nothing_kept(found)
        return
    if found.regret is None:
        yield from _unweighed(found, after)
        return
    least, kept = _LEAST[found.by], found.kept_share
    where = "" if kept is None else ", where it keeps them"
    if found.verdict == "decided":
        yield f"Take {found.chosen}: it has {least} of all that keep the constraints{_often(found)}."
        yield (
            f"Expected regret {found.regret:.1%} over the draws of {uncertain}{where}: so much more than the best, "
            "whichever that turns out to be."
        )
    elif kept is not None and kept < found.kept_wanted:
        yield (
            f"No decision follows yet: {found.chosen} has {least} of all that keep the constraints in the middle, but "
            f"keeps them in {share_text(kept)} of worlds only (wanted: {share_text(found.kept_wanted)}), over the "
            f"draws of {uncertain}."
        )
        yield f"Expected regret{where}: {found.regret:.1%}."
    else:
        yield (
            f"No decision follows yet: {found.chosen} has {least}{_often(found)}, but choosing it now is expected to "
            f"cost {found.regret:.1%} more than the best would{where}, over the draws of {uncertain} "
            f"(bearable: {found.bearable:.3g})."
        )
    if learn is not None:
        yield (
            f"Knowing {learn.quantity} first would leave {learn.regret_when_known:.1%} at most: {learn.learn}."
        )
    elif found.verdict == "undecided" and found.regret > found.bearable:
        yield "No single quantity would help much: several have to be known."


def _often(found: DesignDecision) -> str:
    """In how many worlds the chosen design keeps the constraints."""
    kept = found.kept_share
    if kept is None:
        return ""
    return f" in {share_text(found.kept_wanted)} of worlds or more; it keeps them in {share_text(kept)}"


def _short(found: DesignDecision, short: ShortBill) -> Iterator[str]:
    """States that the chosen design's bill is less complete than others'."""
    parts = _joined(short.parts)
    yield (
        f"No decision follows from these bills: {found.chosen} has {_LEAST[found.by]}, but its bill is incomplete: "
        f"{parts} have no price."
    )
    if room := short.room:
        each = "for each host" if room.is_per_host else "in all"
        yield (
            f"Where they cost more than {room.most:,.0f} {room.currency} {each}, {room.other} is better."
        )


def _unweighed(found: DesignDecision, after: RunnerUp | None) -> Iterator[str]:
    """The distance to the next design at single values, in place of a regret."""
    far = f"; next is {after.name} with {after.ratio:.3g} times as much" if after else ""
    yield (
        f"By these numbers {found.chosen} has {_LEAST[found.by]} of all that keep the constraints{far}."
    )
    yield f"Nothing in this file is uncertain, so neither a probability nor a regret is stated: {_HOW}."


def _nothing_kept(found: DesignDecision) -> str:
    nearest = min(found.designs, key=_excess)
    broken = ", ".join(one.constraint for one in nearest.constraints if not one.holds)
    why = f"nearest is {nearest.name}, which breaks: {broken}" if broken else "none has a price"
    return f"No design keeps all constraints; {why}."


def _excess(design: DesignResult) -> float:
    """The largest factor by which constraints are missed."""
    return max((one.value / one.limit for one in design.constraints if not one.holds), default=1.0)


def basis_of(
    workloads: Sequence[WeightedWorkload],
    quantities: Sequence[UncertainQuantity],
    request: DecisionRequest,
    by: By,
) -> tuple[str, ...]:
    """How to read the numbers."""
    weights = ", ".join(f"{one.name} {one.weight:g}" for one in workloads)
    mean = "in the mean over worlds" if quantities else "by single numbers"
    sure = _sure(quantities, request)
    return (
        "time: the weighted geometric mean over workloads of the time relative to the best design's, 1 where a design "
        f"is best at all; weights: {weights}",
        "a workload's time: until the slowest route of each phase has moved a message, summed over phases, steps and "
        "sizes",
        f"choice: {_LEAST[by]}, {mean}, among designs that keep all constraints at the medians{sure}",
        *_worlds(quantities, request.draws),
    )


def _sure(quantities: Sequence[UncertainQuantity], request: DecisionRequest) -> str:
    is_limited = bool(quantities and request.constraints)
    return f" and in {share_text(request.decision.wanted)} of worlds or more" if is_limited else ""


def _worlds(quantities: Sequence[UncertainQuantity], draws: int) -> Iterator[str]:
    if quantities:
        yield (
            f"worlds: {draws:,} draws of {len(quantities)} uncertain quantities, each by itself; intervals "
            "hold nine in ten, and what a quantity does beyond its 5 % and 95 % ends goes on straight"
        )
    uncertain = kinds_of(quantities)
    if certain := [one for one in _KINDS.values() if one not in uncertain]:
        yield f"held for certain: {_joined(certain)}; give a twin, or [uncertain]"


def _joined(names: Sequence[str]) -> str:
    *first, last = names or [""]
    return f"{', '.join(first)} and {last}" if first else last


def share_text(part: float) -> str:
    """A share as text, such as "89.9 %"."""
    return f"{100 * rounded_down(part):g} %"


def rounded_down(part: float) -> float:
    """A share rounded down to a tenth of a per cent: 89.99 % is less than 90 %."""
    return int(1000 * part + 1e-9) / 1000
