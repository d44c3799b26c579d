"""The fabric of a simulated run: switches, links and hosts, coloured by their load."""

from __future__ import annotations

from collections.abc import Iterator

import altair as alt

from weft.understand.limits.fabric_tree import FabricTree, has_one_way
from weft.understand.report.directions import FabricLanes
from weft.understand.report.ensemble import EnsembleRun
from weft.understand.report.figures.drawing import axes, parts
from weft.understand.report.figures.drawing.boxes import box_layer, text_layer
from weft.understand.report.figures.drawing.fabric_drawing import Drawing
from weft.understand.report.figures.drawing.figure import Figure, Row, Spec
from weft.understand.report.material import ReportMaterial

CAPTION = "Mean share of capacity in the step that loaded it most. Upper lines: to the left."
DASHED = " Dashed: no limit."
STRIPES = " Stripes: each host, or a switch's inside."


def fabric_figures(material: ReportMaterial) -> list[Figure]:
    """A figure for each network that carried traffic, of each run on a declared tree."""
    return [
        figure
        for i, one in enumerate(material.ensembles)
        for figure in _of_run(f"fabric-{i + 1}", one)
    ]


def _of_run(name: str, one: EnsembleRun) -> Iterator[Figure]:
    """The figures of one run; none for a fabric with several paths, which has no levels."""
    fabric = one.run.meta.testbed.get("fabric")
    if not (one.loads and fabric and has_one_way(fabric)):
        return
    for network in sorted({link["network"] for link in fabric["links"]}):
        lanes = FabricLanes(FabricTree(fabric, network), fabric, one.loads)
        if lanes.carried_anything:
            own = f"{name}-network-{network + 1}" if network else name
            which = f", network {network + 1}" if network else ""
            title = f"What the links of {fabric['name']} carried in {one.label}{which}"
            yield _figure(own, title, Drawing(lanes))


def _figure(name: str, title: str, drawing: Drawing) -> Figure:
    tables: dict[str, list[Row]] = {
        f"{name}-lines": drawing.lines(),
        f"{name}-boxes": drawing.boxes(),
        f"{name}-texts": drawing.texts(),
        f"{name}-stripes": drawing.stripes(),
    }
    has_free = any(not row["limited"] for row in tables[f"{name}-lines"])
    has_stripes = bool(tables[f"{name}-stripes"])
    caption = CAPTION + DASHED * has_free + STRIPES * has_stripes
    return Figure(name, title, caption, _spec(drawing, name), tables)


def _spec(drawing: Drawing, name: str) -> Spec:
    x = alt.Scale(domain=[0, drawing.columns], nice=False)
    legend = parts.share_legend()
    shared = {"x": "left:Q", "x2": "right", "tooltip": parts.tooltip(parts.LOAD_TOOLTIP)}
    lines = parts.layer(
        f"{name}-lines",
        "rule",
        {"strokeWidth": 3},
        y="from:Q",
        y2="to",
        stroke=parts.of_share(alt.Stroke, legend),
        strokeDash=alt.condition(parts.HAS_SHARE, alt.value([1, 0]), alt.value([4, 3])),
        **shared,
    )
    edge = {"stroke": "#ffffff", "strokeWidth": 0.5}
    fill = parts.of_share(alt.Fill, legend)
    stripes = parts.layer(
        f"{name}-stripes", "rect", edge, y="top:Q", y2="bottom", fill=fill, **shared
    )
    boxes = box_layer(f"{name}-boxes", x, axes.rows_scale(drawing.rows))
    texts = text_layer(f"{name}-texts", drawing.columns)
    return parts.sized(alt.layer(boxes, lines, stripes, texts), drawing.height)
