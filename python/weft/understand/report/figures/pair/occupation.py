"""The insides of nodes: occupation of parts, interrupts, buses, and the time of messages by stage."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Final

import altair as alt

from weft.base.quantity import format_us, full_size
from weft.understand.drawing import axes, parts
from weft.understand.drawing.figure import Figure, Row, Spec, short
from weft.understand.drawing.plots import LinePlot
from weft.understand.node.occupation import Budget, Busy
from weft.understand.report.figures.pair.stacks import Stacks, stacked
from weft.understand.report.material import ReportMaterial
from weft.understand.report.steps import Inside

BUDGET_SCHEME: Final = "tableau20"
"""A scheme with more colours than the report's palette, since there are many stages."""

LANE_PX, BUDGET_PX, BAR_PX, LINES_PX = 64, 260, 44, 220
LEAST_SHARE = 0.001
"""Processors that are never busier are not drawn."""


def inside_figures(material: ReportMaterial) -> list[Figure]:
    """Occupation and time by stage for each step of each run; interrupts, buses and latency for all runs together."""
    numbered = [(one, step) for one in material.insides for step in one.steps]
    busy = [_busy_figure(f"busy-{i + 1}", one, step) for i, (one, step) in enumerate(numbered)]
    budget = [
        _budget_figure(f"budget-{i + 1}", one.label_of(step), mine)
        for i, (one, step) in enumerate(numbered)
        if (mine := [budget for budget in one.budgets if budget.step == step])
    ]
    return [*busy, *_lines_figures(material), *_latency_figures(material), *budget]


def _busy_figure(name: str, one: Inside, step: int) -> Figure:
    """A lane for each processor of each node that was busy."""
    rows = [busy for busy in one.busy if busy.step == step and _is_processor(busy)]
    used = [busy for busy in rows if busy.share > LEAST_SHARE]
    lanes = list(dict.fromkeys(f"{busy.node} {busy.part}" for busy in used))
    shares = {(f"{busy.node} {busy.part}", busy.size_bytes): busy.shares for busy in rows}
    kept = {key: value for key, value in shares.items() if key[0] in lanes}
    table = list(stacked(lanes, kept))
    kinds = [task for task in rows[0].shares if task] if rows else []
    return Figure(
        name,
        f"What each part was busy with: {one.label_of(step)}",
        "Of the processor's time, by task; what is missing to 100 % is idle.",
        Stacks(name, table, lanes, kinds, LANE_PX).spec(),
        {name: table},
    )


def _is_processor(busy: Busy) -> bool:
    """Whether a part is a processor; buses and links have one share without a task."""
    return any(busy.shares) and "" not in busy.shares


def _budget_figure(name: str, label: str, mine: Sequence[Budget]) -> Figure:
    """The stages' shares of the latency of each size."""
    lanes = [label]
    shares = {
        (label, one.size_bytes): {
            stage: time_us / one.total_us for stage, time_us in one.stages_us.items()
        }
        for one in mine
    }
    table = list(stacked(lanes, shares))
    return Figure(
        name,
        f"Where the time of a message goes: {label}",
        "Stages of the last byte, one way, from below in the order in which it passes them.",
        Stacks(name, table, [""], _stages(mine), BUDGET_PX, BUDGET_SCHEME).spec(),
        {name: table},
    )


def _stages(budgets: Sequence[Budget]) -> list[str]:
    """All stages that take time, in order."""
    order = budgets[0].stages_us if budgets else {}
    return [stage for stage in order if any(one.stages_us[stage] > 0 for one in budgets)]


def _latency_figures(material: ReportMaterial) -> list[Figure]:
    """The stages of each run's smallest message, side by side."""
    found = {}
    for one in material.insides:
        for step in one.steps:
            mine = [budget for budget in one.budgets if budget.step == step]
            if mine:
                found[one.label_of(step)] = min(mine, key=lambda budget: budget.size_bytes)
    if not found:
        return []
    rows = [row for label, budget in found.items() for row in _bar(label, budget)]
    return [
        Figure(
            "latency-budget",
            "Where the latency goes",
            "Of each run's smallest message, one way; stages from the left in order.",
            _bars_spec("latency-budget", rows, _stages(list(found.values())), list(found)),
            {"latency-budget": rows},
        )
    ]


def _bar(label: str, budget: Budget) -> Iterator[Row]:
    left = 0.0
    for stage, time_us in budget.stages_us.items():
        if time_us > 0:
            yield {
                "run": label,
                "kind": stage,
                "left": short(left),
                "right": short(left + time_us),
                "text": f"{format_us(time_us)} of {format_us(budget.total_us)}",
                "size_text": full_size(budget.size_bytes),
            }
            left += time_us


def _bars_spec(table: str, rows: Sequence[Row], kinds: list[str], labels: list[str]) -> Spec:
    highest = max(row["right"] for row in rows)
    titles = {"run": "title", "size_text": "Message size", "kind": "Stage", "text": "Takes"}
    x_axis, y_axis = alt.Axis(title="Latency (µs)"), alt.Axis(title=None, labelLimit=160)
    bars = parts.layer(
        table,
        "bar",
        {},
        x=alt.X("left:Q", scale=axes.linear_scale(highest), axis=x_axis),
        x2="right",
        y=alt.Y("run:N", sort=labels, axis=y_axis),
        fill=parts.kinds(kinds, BUDGET_SCHEME),
        tooltip=parts.tooltip(titles),
    )
    return parts.sized(alt.layer(bars), max(120, BAR_PX * len(labels)))


def _lines_figures(material: ReportMaterial) -> list[Figure]:
    """Figures of the receiving node: interrupts of all its processors, and one for each bus and link."""
    found = []
    calls = _lines(material, _is_processor, lambda rows: sum(r.interrupts_per_s for r in rows))
    if any(row["value"] for row in calls):
        title, caption = "Interrupts per second", "Of all processors of the second node."
        axis = alt.Axis(title="Interrupts per second", format="~s", tickCount=6)
        highest = max(row["value"] for row in calls)
        spec = _lines_spec("interrupts", calls, material.labels, highest, axis)
        found.append(Figure("interrupts", title, caption, spec, {"interrupts": calls}))
    for part in _shared(material):
        name = "occupation-" + "".join(c if c.isalnum() else "-" for c in part.lower())
        rows = _lines(material, partial(_is_part, part), lambda rows: sum(r.share for r in rows))
        axis = alt.Axis(title="Share of the time", format=".0%", tickCount=6)
        highest = max(1.0, *(row["value"] for row in rows))
        caption = "What transfers and accesses hold it for at the second node."
        spec = _lines_spec(name, rows, material.labels, highest, axis)
        found.append(Figure(name, f"How busy: {part}", caption, spec, {name: rows}))
    return found


def _is_part(name: str, busy: Busy) -> bool:
    return busy.part == name


def _shared(material: ReportMaterial) -> list[str]:
    """The parts of all runs that are not processors."""
    names = (busy.part for one in material.insides for busy in one.busy if not _is_processor(busy))
    return list(dict.fromkeys(names))


def _lines(
    material: ReportMaterial,
    is_wanted: Callable[[Busy], bool],
    value_of: Callable[[Sequence[Busy]], float],
) -> list[Row]:
    """Rows by run and size: a value of those rows of the second node that `is_wanted` selects."""
    together: dict[tuple[str, int], list[Busy]] = {}
    for one in material.insides:
        second = str(one.run.meta.nodes[-1]["name"])
        for busy in one.busy:
            is_drawn = busy.step in one.steps and busy.node == second and busy.size_bytes > 0
            if is_drawn and is_wanted(busy):
                key = one.label_of(busy.step), busy.size_bytes
                together.setdefault(key, []).append(busy)
    return [
        {
            "series": label,
            "size": size,
            "value": short(value_of(rows)),
            "size_text": full_size(size),
        }
        for (label, size), rows in together.items()
    ]


def _lines_spec(
    table: str, rows: Sequence[Row], labels: Sequence[str], highest: float, axis: alt.Axis
) -> Spec:
    scale = axes.log_scale([row["size"] for row in rows], 2)
    x = alt.X("size:Q", scale=scale, axis=axes.size_axis("x", scale))
    titles = {"series": "title", "size_text": "Message size", "value": str(axis.title)}
    y_scale = axes.linear_scale(highest)
    return LinePlot(table, rows, labels, x, "value", axis, y_scale, titles, height=LINES_PX).spec()
