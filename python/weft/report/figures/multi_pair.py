"""Several pairs over several interfaces: a figure for each test, a colour for each policy, dashes for the pairs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import altair as alt

from weft.diagnose.multi_pair import MultiPairPoint
from weft.quantity import format_bytes, format_mbps, format_us
from weft.report.figures.drawing import axes, parts
from weft.report.figures.drawing.figure import Figure, Row, Spec, chart_spec
from weft.report.figures.drawing.rounding import short
from weft.report.figures.drawing.theme import DASHES
from weft.report.material import Material
from weft.report.pairs import PairStep

HEIGHT = 400
ALONE = "all interfaces alone, added up"
_BAND = "Bands: intervals of the medians."
_CAPTIONS = {
    "latency": f"Half a round trip, the mean over the pairs. {_BAND}",
    "one-way": f"All pairs together, from the first start to the last end of a timing. {_BAND}",
    "two-way": f"All pairs together, both directions added up. {_BAND}",
}
_TITLES = {
    "latency": "Several pairs: latency",
    "one-way": "Several pairs: one-way bandwidth",
    "two-way": "Several pairs: two-way bandwidth",
}


def multi_pair_figures(material: Material) -> list[Figure]:
    """A figure for each test that was run."""
    tests = dict.fromkeys(step.test for step in material.pairs)
    return [_figure([step for step in material.pairs if step.test == test]) for test in tests]


def _figure(steps: Sequence[PairStep]) -> Figure:
    test = steps[0].test
    several = len({step.label for step in steps}) > 1
    rows = [row for step in steps for row in _rows(step, several)]
    table = f"multi-pair-{test}"
    return Figure(table, _TITLES[test], _CAPTIONS[test], _spec(table, rows, test), {table: rows})


def _rows(step: PairStep, several: bool) -> Iterator[Row]:
    prefix = f"{step.label} · " if several else ""
    for point in step.points:
        if point.policy != "alone":
            yield _row(point, prefix)
    if step.test != "latency":
        yield from _alone_rows(step, prefix)


def _row(point: MultiPairPoint, prefix: str) -> Row:
    value = point.latency_us or point.sum_mbps
    return {
        "series": prefix + point.policy,
        "pairs": _pairs(point.pairs),
        "size": point.size_bytes,
        "value": short(value.median),
        "low": short(value.low),
        "high": short(value.high),
        "size_text": format_bytes(point.size_bytes),
        "value_text": (format_us if point.latency_us else format_mbps)(value.median),
        "spread_text": f"{point.spread_pct:.1f} %",
        "title": f"{prefix}{point.policy}, {_pairs(point.pairs)}",
    }


def _alone_rows(step: PairStep, prefix: str) -> Iterator[Row]:
    """What all interfaces carry when each runs alone, added up: the most that there is to have."""
    alone = [point for point in step.points if point.policy == "alone"]
    for size in sorted({point.size_bytes for point in alone}):
        mine = [point.sum_mbps.median for point in alone if point.size_bytes == size]
        if len(mine) < 2:
            continue
        value = short(sum(mine))
        yield {
            "series": prefix + ALONE,
            "pairs": _pairs(1),
            "size": size,
            "value": value,
            "low": value,
            "high": value,
            "size_text": format_bytes(size),
            "value_text": format_mbps(sum(mine)),
            "spread_text": "",
            "title": prefix + ALONE,
        }


def _pairs(count: int) -> str:
    return "1 pair" if count == 1 else f"{count} pairs"


def _spec(table: str, rows: Sequence[Row], test: str) -> Spec:
    encoding = _channels(rows, test)
    x, y = encoding["x"], encoding["y"]
    band = alt.Chart(parts.table(table)).mark_area(opacity=0.1, clip=True)
    band = parts.encode(band, x=x, y=alt.Y("low", type="quantitative"), y2="high", detail="pairs:N")
    line = alt.Chart(parts.table(table)).mark_line(strokeWidth=1.8, clip=True)
    line = parts.encode(line, x=x, y=y, strokeDash=_dashes(rows)).add_params(parts.zoom())
    dots = alt.Chart(parts.table(table)).mark_circle(size=26, opacity=1, clip=True)
    hover = alt.Chart(parts.table(table)).mark_point(filled=True, size=80, clip=True)
    hover = parts.encode(hover, x=x, y=y, tooltip=parts.tooltip(_TOOLTIP))
    layers = [band, line, parts.encode(dots, x=x, y=y), parts.highlight(parts.nearest(), hover)]
    colour = _colour(rows)
    chart = alt.layer(*(layer.encode(color=colour) for layer in layers))
    return chart_spec(chart.properties(width=parts.WIDTH, height=HEIGHT))


_TOOLTIP = {
    "title": "title",
    "size_text": "Size",
    "value_text": "Median",
    "spread_text": "Lowest to highest",
}


def _channels(rows: Sequence[Row], test: str) -> dict[str, Any]:
    scale = axes.log_scale([row["size"] for row in rows], 2)
    x = alt.X("size", type="quantitative", scale=scale, axis=axes.size_axis("x", scale))
    values = [row[end] for row in rows for end in ("low", "high")]
    if test == "latency":
        y_scale, y_axis = axes.log_scale(values, 10), axes.time_axis("y")
    else:
        y_scale = axes.linear_scale(max(values))
        y_axis = axes.rate_axis(max(values), "All pairs together")
    y = alt.Y("value", type="quantitative", scale=y_scale, axis=y_axis)
    return {"x": x, "y": y}


def _colour(rows: Sequence[Row]) -> alt.Color:
    legend = alt.Legend(symbolOpacity=1, symbolStrokeWidth=2.5)
    scale = alt.Scale(domain=list(dict.fromkeys(row["series"] for row in rows)))
    return alt.Color("series", type="nominal", scale=scale, legend=legend, title=None, sort=None)


def _dashes(rows: Sequence[Row]) -> alt.StrokeDash:
    counts = sorted({row["pairs"] for row in rows}, key=lambda text: int(text.split()[0]))
    scale = alt.Scale(domain=counts, range=[DASHES[i % len(DASHES)] for i in range(len(counts))])
    return alt.StrokeDash("pairs", type="nominal", scale=scale, title=None, legend=alt.Legend())
