"""The times at which the nodes of a chain received a file: a bar from the first chunk until all is on disk."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import altair as alt

from weft.understand.kinds.casts.cast import SPENT, FileCastResult, NodeCast
from weft.understand.kinds.casts.kind import CASTS
from weft.understand.report.figures.drawing import axes, parts
from weft.understand.report.figures.drawing.figure import Figure, Row, Spec, short
from weft.understand.report.material import ReportMaterial

MOST_ROWS = 64
"""The most nodes drawn; of longer chains, those that finished last."""
ROW_PX, LEAST_PX = 16, 120
COMING, WRITING = "chunks come", "written to the disk"


def file_cast_figures(material: ReportMaterial) -> list[Figure]:
    """A figure for each cast that reached a node."""
    found = (
        _figure(f"file-cast-{number}", one.label, *one.results)
        for number, one in enumerate(material.of_kind(CASTS), 1)
    )
    return [figure for figure in found if figure]


def _figure(name: str, label: str, one: FileCastResult) -> Figure | None:
    nodes = _shown([node for node in one.nodes if node.first_ms is not None and node.src])
    rows = [row for place, node in enumerate(nodes) for row in _rows(place, node)]
    if not rows:
        return None
    slow = f" {one.slow.text}." if one.slow else ""
    return Figure(
        name,
        f"When the file came: {label}",
        f"From the first chunk until all was on the disk, by node.{slow}",
        _spec(name, rows, [node.node for node in nodes]),
        {name: rows},
    )


def _shown(nodes: Sequence[NodeCast]) -> list[NodeCast]:
    """The nodes that finished last, ordered by the time of their first chunk, which follows the chain."""
    last = sorted(nodes, key=lambda one: one.done_ms or 0.0)[-MOST_ROWS:]
    return sorted(last, key=lambda one: one.first_ms or 0.0)


def _rows(place: int, node: NodeCast) -> Iterator[Row]:
    assert node.first_ms is not None and node.last_ms is not None
    spans = [(COMING, node.first_ms, node.last_ms)]
    if node.done_ms is not None:
        spans.append((WRITING, node.last_ms, node.done_ms))
    told = ", ".join(f"{kind} {node.spent_ms[kind] / 1e3:.2f}" for kind in SPENT)
    for kind, begin_ms, end_ms in spans:
        yield {
            "place": place,
            "kind": kind,
            "begin_s": short(begin_ms / 1e3),
            "end_s": short(end_ms / 1e3),
            "name": f"{node.node} from {node.src}",
            "spent": told,
        }


def _spec(name: str, rows: Sequence[Row], names: Sequence[str]) -> Spec:
    names_axis = alt.Axis(
        title=None,
        values=[place + 0.5 for place in range(len(names))],
        labelExpr="names[floor(datum.value)]",
        grid=False,
        ticks=False,
    )
    lines = {"name": "title", "begin_s": "From (s)", "end_s": "To (s)", "spent": "Seconds"}
    bars = parts.layer(
        name,
        "rect",
        {},
        x=alt.X("begin_s:Q", axis=alt.Axis(title="Seconds since the cast began")),
        x2="end_s",
        y=alt.Y("top:Q", scale=axes.rows_scale(len(names)), axis=names_axis),
        y2="bottom",
        fill=parts.kinds([COMING, WRITING]),
        tooltip=parts.tooltip(lines),
    )
    ends = {"top": "datum.place + 0.15", "bottom": "datum.place + 0.85"}
    chart = bars.transform_calculate(**ends).add_params(
        parts.zoom(), alt.param(name="names", value=list(names))
    )
    return parts.sized(chart, max(LEAST_PX, ROW_PX * len(names)))
