"""What is slow in a map of all pairs: routes, and the rows and columns of nodes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from weft.report.ensemble import Ensemble, EnsembleStep
from weft.report.figures.drawing.figure import Row

Ends = tuple[str | None, str | None]
"""Sender and receiver; None where all are meant."""


def slow_marks(one: Ensemble, step: EnsembleStep, names: Sequence[str]) -> list[Row]:
    """Rectangles around what is slow, in the places of the names; a map of latencies has none."""
    if step.is_latency:
        return []
    place = {name: i for i, name in enumerate(names)}
    marks = [_mark(ends, place, len(names)) for ends in dict.fromkeys(_slow_ends(one, step))]
    return [mark for mark in marks if mark]


def _slow_ends(one: Ensemble, step: EnsembleStep) -> Iterator[Ends]:
    for slow in one.findings.slow:
        if slow.kind == "route":
            yield slow.nodes[0], slow.nodes[-1]
            continue
        for node in slow.nodes:
            if slow.direction != "in":
                yield node, None
            if slow.direction != "out":
                yield None, node
    # A search has tried every odd cell again, alone: what it does not name was chance.
    was_searched = any(each.kind == "xray" for each in one.steps)
    for cell in step.effects.cells if step.effects and not was_searched else ():
        yield cell.src, cell.dst


def _mark(ends: Ends, place: dict[str, int], count: int) -> Row | None:
    if not all(end is None or end in place for end in ends):
        return None
    (top, bottom), (left, right) = (
        (0, count) if end is None else (place[end], place[end] + 1) for end in ends
    )
    return {"left": left, "right": right, "top": top, "bottom": bottom}
