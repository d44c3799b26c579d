"""Lines that lie on each other, of which a reader sees one only."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from weft.report.figures.drawing.figure import Row

LINE_SHARE = 0.006
"""A line's width, as a part of the height of a figure."""


def overlap_text(rows: Sequence[Row], x: str = "count", y: str = "rate") -> str:
    """A sentence for each two series whose points are the same within a line's width; empty without any."""
    lines: dict[str, dict[float, float]] = {}
    for row in rows:
        lines.setdefault(row["series"], {})[row[x]] = row[y]
    highest = max((row[y] for row in rows), default=0.0)
    same = [
        f" {a} and {b} lie on each other."
        for a, b in combinations(lines, 2)
        if lines[a].keys() == lines[b].keys()
        and all(abs(lines[a][at] - lines[b][at]) <= LINE_SHARE * highest for at in lines[a])
    ]
    return "".join(same)
