"""A decision on the page: the frontier, what it rests on, and what would be worth knowing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from weft.decision.document import Decision, DesignResult
from weft.decision.folder import read_decision
from weft.decision.names import share_text, time_text
from weft.decision_report.frontier import frontier_figure
from weft.decision_report.part import Part
from weft.decision_report.prices import price_figure
from weft.decision_report.tornado import tornado_figure
from weft.interval import Interval
from weft.report.table import Table
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


def _designs_table(found: Decision) -> Table:
    unit = next((one.cost.currency for one in found.designs if one.cost), "")
    headers = ["Design", f"{found.counted}, {unit}", "Share", "Routing", "Time"]
    headers += ["Best in"] if found.is_weighed else []
    headers += ["Keeps constraints in"] if found.kept_share is not None else []
    headers += ["Dominated by"]
    headers += ["Without a price"] if _lacks_any(found) else []
    headers += [name for name, _ in found.workloads]
    return Table(headers, [_design_row(one, found) for one in found.designs])


def _design_row(one: DesignResult, found: Decision) -> list[str]:
    share = one.cost.share if one.cost else None
    return [
        one.name + (" (chosen)" if one.name == found.chosen else ""),
        _range(one.cost.counted, ",.0f") if one.cost else "no price",
        "" if share is None else f"{share:.0%}",
        one.routing,
        _range(one.index, ".3g"),
        *([] if one.best_share is None else [f"{one.best_share:.0%}"]),
        *_kept(one, found),
        found.dominator(one),
        *([", ".join(one.lacks)] if _lacks_any(found) else []),
        *(time_text(each) for each in one.times),
    ]


def _kept(one: DesignResult, found: Decision) -> list[str]:
    return (
        [] if found.kept_share is None or one.kept_share is None else [share_text(one.kept_share)]
    )


def _lacks_any(found: Decision) -> bool:
    return any(one.lacks for one in found.designs)


def _broken_table(found: Decision) -> Table:
    return Table(["Design", "Constraint", "Value", "Limit"], list(_broken(found)))


def _broken(found: Decision) -> Iterator[list[str]]:
    for one in found.designs:
        for kept in one.constraints:
            if not kept.holds:
                yield [one.name, kept.constraint, f"{kept.value:.4g}", f"{kept.limit:.4g}"]


def _sensitivity_table(found: Decision) -> Table:
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
    return Table([*headers, "How to learn it"], rows)


def _range(value: Interval, form: str) -> str:
    middle = format(value.median, form)
    if value.low == value.high:
        return middle
    return f"{middle} ({format(value.low, form)} to {format(value.high, form)})"
