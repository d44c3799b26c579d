"""The hosts' activity per message of a size, as the report shows it."""

from __future__ import annotations

from weft.base.quantity import significant
from weft.understand.report.series import CurveSeries
from weft.understand.tables.evidence import MEASURES, evidence_table


def evidence_rows(one: CurveSeries) -> dict[int, list[list[str]]]:
    """By size: the headings, then a row for each measure with a column for each node; empty without evidence."""
    return {
        found.values("size_bytes")[0]: [
            ["Median over launches", *found.values("node")],
            *(
                [
                    ", ".join(filter(None, (column.meaning, column.unit))),
                    *map(column.cell, found.values(column.name)),
                ]
                for column in MEASURES
                if any(found.values(column.name))
            ),
        ]
        for found in evidence_table(one.evidence).groups("size_bytes")
    }


def moved_rows(one: CurveSeries, size_bytes: int) -> list[list[str]]:
    """The counters that explain something at a size, in slow and in fast batches; empty if there are none."""
    rows = [
        [f"{each.counter}, {each.where} ({each.unit})", significant(each.slow, 3), _fast(each.fast)]
        for explanation in one.explanations
        if size_bytes in explanation.sizes_bytes
        for each in explanation.evidence
    ]
    return [["What moved", "Slow", "Fast"], *rows] if rows else []


def _fast(value: float | None) -> str:
    return "" if value is None else significant(value, 3)
