"""A decision in a few sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from weft.decision.document import Decision, DesignResult, Sensitivity
from weft.decision.quantities import Quantity
from weft.decision.request import By
from weft.decision.workloads import Workload

_LEAST = {
    "time": "the least time",
    "cost": "the lowest price",
    "cost-performance": "the least product of price and time",
}


def text_of(found: Decision, learn: Sensitivity | None, basis: tuple[str, ...]) -> Decision:
    """The decision with its words."""
    return replace(found, text=" ".join(_sentences(found, learn)), basis=basis)


def _sentences(found: Decision, learn: Sensitivity | None) -> Iterator[str]:
    if found.chosen is None or found.regret is None:
        yield _nothing_kept(found)
        return
    least = _LEAST[found.by]
    if found.verdict == "decided":
        yield f"Take {found.chosen}: it has {least} of all that keep the constraints."
        yield f"Expected regret {found.regret:.1%}: so much more than the best, whichever that turns out to be."
    else:
        yield (
            f"No decision follows yet: {found.chosen} has {least}, but choosing it now is expected to cost "
            f"{found.regret:.1%} more than the best would (bearable: {found.bearable:.3g})."
        )
    if learn is not None:
        yield (
            f"Knowing {learn.quantity} first would leave {learn.regret_when_known:.1%}: {learn.learn}."
        )
    elif found.verdict == "undecided":
        yield "No single quantity would help much: several have to be known."


def _nothing_kept(found: Decision) -> str:
    nearest = min(found.designs, key=_excess)
    broken = ", ".join(one.constraint for one in nearest.constraints if not one.holds)
    why = f"nearest is {nearest.name}, which breaks: {broken}" if broken else "none has a price"
    return f"No design keeps all constraints; {why}."


def _excess(design: DesignResult) -> float:
    """By which factor the constraints are missed at worst."""
    return max((one.value / one.limit for one in design.constraints if not one.holds), default=1.0)


def basis_of(
    workloads: Sequence[Workload], quantities: Sequence[Quantity], draws: int, by: By
) -> tuple[str, ...]:
    """What the numbers mean."""
    weights = ", ".join(f"{one.name} {one.weight:g}" for one in workloads)
    lines = [
        "time: the weighted geometric mean over workloads of the time relative to the best design's, 1 where a design "
        f"is best at all; weights: {weights}",
        "a workload's time: until the slowest route of each phase has moved a message, summed over phases, steps and "
        "sizes",
        f"choice: {_LEAST[by]}, in the mean over worlds, among designs that keep all constraints at the medians",
        f"worlds: {draws:,} draws of {len(quantities)} uncertain quantities; intervals hold nine in ten",
    ]
    if not any(one.kind == "simulator" for one in quantities):
        lines.append(
            "the simulator's own error is not in the intervals: give a twin, or uncertain.simulator"
        )
    return tuple(lines)
