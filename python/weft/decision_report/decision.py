"""A decision on the page: the frontier, what it rests on, and what would be worth knowing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from weft.decision.document import Decision
from weft.decision.folder import read_decision
from weft.decision.names import share_text, time_text
from weft.decision_report.frontier import frontier_figure
from weft.decision_report.part import Part
from weft.decision_report.prices import price_figure
from weft.decision_report.tornado import tornado_figure
from weft.interval import Interval
from weft.report.table import PageTable
from weft.runs.run_warnings import lines


def decision_part(folder: Path, number: int) -> Part:
    """What a folder of a decision says; raises RequestError where it is none."""
    found = read_decision(folder)
    drawn = (make(found, number) for make in (frontier_figure, price_figure, tornado_figure))
    return Part(
        title=f"Decision: {found.name or folder.resolve().name}",
        verdict=[found.text],
        figures=[one for one in drawn if one],
        tables=[
            ("Designs", _designs_table(found)),
            ("Constraints that are broken", _broken_table(found)),
            ("What the choice depends on", _sensitivity_table(found)),
        ],
        warnings=[
            *(f"{one.name} was not simulated: {one.why}" for one in found.failed),
            *lines(found.warnings),
        ],
        notes=[*found.basis, *found.notes],
    )


def _designs_table(found: Decision) -> PageTable:
    """Without columns that say nothing of any design."""
    columns = [one for one in _design_columns(found) if any(one[1])]
    rows = [list(row) for row in zip(*(values for _, values in columns), strict=True)]
    return PageTable([header for header, _ in columns], rows)


def _design_columns(found: Decision) -> Iterator[tuple[str, list[str]]]:
    designs = found.designs
    unit = next((one.cost.currency for one in designs if one.cost), "")
    names = [one.name + (" (chosen)" if one.name == found.chosen else "") for one in designs]
    prices = [_range(one.cost.counted, ",.0f") if one.cost else "no price" for one in designs]
    shares = [one.cost.share if one.cost else None for one in designs]
    yield "Design", names
    yield f"{found.counted}, {unit}", prices
    yield "Of the cluster's price", [_percent(one) for one in shares]
    yield "Routing", [one.routing for one in designs]
    yield "Time", [_range(one.index, ".3g") for one in designs]
    yield "Best in", [_percent(one.best_share) for one in designs]
    if found.kept_share is not None:
        kept = [one.kept_share for one in designs]
        yield "Keeps constraints in", ["" if one is None else share_text(one) for one in kept]
    yield "Dominated by", [found.dominator(one) for one in designs]
    yield "Without a price", [", ".join(one.lacks) for one in designs]
    for number, (name, _) in enumerate(found.workloads):
        yield name, [time_text(one.times[number]) for one in designs]


def _percent(share: float | None) -> str:
    return "" if share is None else f"{share:.0%}"


def _broken_table(found: Decision) -> PageTable:
    return PageTable(["Design", "Constraint", "Value", "Limit"], list(_broken(found)))


def _broken(found: Decision) -> Iterator[list[str]]:
    for one in found.designs:
        for kept in one.constraints:
            if not kept.holds:
                yield [one.name, kept.constraint, f"{kept.value:.4g}", f"{kept.limit:.4g}"]


def _sensitivity_table(found: Decision) -> PageTable:
    rows = [
        [
            one.quantity,
            f"{one.median:.3g}",
            f"{one.low.value:.3g} to {one.high.value:.3g}",
            ", ".join(sorted({one.low.best, one.high.best})),
            f"{one.regret_when_known:.1%}",
            one.learn,
        ]
        for one in found.sensitivity
    ]
    headers = ["Quantity", "Middle", "90 % interval", "Best at its ends", "Regret if known"]
    return PageTable([*headers, "How to learn it"], rows)


def _range(value: Interval, form: str) -> str:
    middle = format(value.median, form)
    if value.low == value.high:
        return middle
    return f"{middle} ({format(value.low, form)} to {format(value.high, form)})"
