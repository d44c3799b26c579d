"""The busiest limits of a simulated network of any shape: their load as a share of capacity."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import altair as alt

from weft.base.alike import listed
from weft.base.nodeset import fold_names
from weft.runs.link_loads import LinkLoad
from weft.understand.report.directions import Lane, percent
from weft.understand.report.ensemble import EnsembleRun
from weft.understand.report.figures.drawing import axes, parts
from weft.understand.report.figures.drawing.figure import Figure, Row, Spec, short
from weft.understand.report.material import ReportMaterial

MOST_ROWS = 20
ROW_PX, LEAST_PX = 22, 120
LABEL_PX, LABEL_LENGTH = 270, 36


def busiest_figures(material: ReportMaterial) -> list[Figure]:
    """A figure for each run that records the load of its limits."""
    return [
        _figure(f"busiest-{i + 1}", one) for i, one in enumerate(material.ensembles) if one.loads
    ]


def _label(names: Sequence[str]) -> str:
    """All names if they fit, else the first."""
    whole = ", ".join(names)
    return whole if len(whole) <= LABEL_LENGTH else listed(names, 1)


def _figure(name: str, one: EnsembleRun) -> Figure:
    groups = _alike(one.loads.values())
    shown = groups[:MOST_ROWS]
    rows = [_row(place, loads) for place, loads in enumerate(shown)]
    count = sum(map(len, shown))
    means = "Bars: mean of the step that loaded it most; strokes: its busiest phase."
    caption = f"{count} of {len(one.loads)} limits. {means}"
    title = f"The busiest limits of {one.label}"
    return Figure(name, title, caption, _spec(name, rows), {name: rows})


def _row(place: int, loads: Sequence[LinkLoad]) -> Row:
    """A row of limits with the same load and the same capacity."""
    first = loads[0]
    names = fold_names([load.constraint for load in loads])
    told = Lane.of(", ".join(names), first, has_limit=True)
    return {
        "place": place,
        "share": short(first.share),
        "limited": True,
        "peak_share": short(first.peak_share),
        "label": _label(names),
        "name": told.name,
        "carried": told.carried + (" each" if len(loads) > 1 else ""),
        "peak": told.peak,
    }


def _alike(loads: Iterable[LinkLoad]) -> list[list[LinkLoad]]:
    """The loads grouped by displayed shares and capacity, the busiest first."""
    together: dict[tuple[str, str, float], list[LinkLoad]] = {}
    for load in loads:
        shares = percent(load.share), percent(load.peak_share)
        together.setdefault((*shares, load.capacity_mbps), []).append(load)
    return sorted(together.values(), key=lambda same: (-same[0].share, -same[0].peak_share))


def _spec(name: str, rows: Sequence[Row]) -> Spec:
    share_axis = alt.Axis(title="Share of capacity", format=".0%", tickCount=6)
    most = max(1.0, *(row["peak_share"] for row in rows))
    names_axis = alt.Axis(
        title=None,
        values=[i + 0.5 for i in range(len(rows))],
        tickCount=len(rows),
        labelExpr="names[floor(datum.value)]",
        labelLimit=LABEL_PX,
        grid=False,
        ticks=False,
    )
    bars = parts.layer(
        name,
        "rect",
        {},
        x=alt.X("share:Q", scale=alt.Scale(domain=[0, most], nice=False), axis=share_axis),
        x2=alt.datum(0),
        y=alt.Y("top:Q", scale=axes.rows_scale(len(rows)), axis=names_axis),
        y2="bottom",
        fill=parts.of_share(alt.Fill),
        tooltip=parts.tooltip(parts.LOAD_TOOLTIP),
    ).add_params(parts.zoom())
    rule = {"strokeWidth": 2.5}
    strokes = parts.layer(name, "rule", rule, x="peak_share:Q", y="top:Q", y2="bottom")
    ends = {"top": "datum.place + 0.15", "bottom": "datum.place + 0.85"}
    placed = [each.transform_calculate(**ends) for each in (bars, strokes)]
    names = alt.param(name="names", value=[row["label"] for row in rows])
    chart = alt.layer(*placed).add_params(names)
    return parts.sized(chart, max(LEAST_PX, ROW_PX * len(rows)))
