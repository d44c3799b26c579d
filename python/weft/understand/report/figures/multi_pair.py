"""Several pairs over several interfaces: a figure for each test; colours show policies, dashes numbers of pairs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import altair as alt

from weft.base.quantity import format_bytes, format_mbps, format_us
from weft.understand.kinds.multi_pair.kind import MULTI_PAIR
from weft.understand.multi_pair.multi_pair import MultiPairPoint
from weft.understand.report.applications import ApplicationStep
from weft.understand.report.figures.drawing import axes, parts
from weft.understand.report.figures.drawing.figure import Figure, Row, Spec, short
from weft.understand.report.material import ReportMaterial

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


def multi_pair_figures(material: ReportMaterial) -> list[Figure]:
    """A figure for each test that was run."""
    steps = material.of_kind(MULTI_PAIR)
    tests = dict.fromkeys(step.name for step in steps)
    return [_figure([step for step in steps if step.name == test]) for test in tests]


def _figure(steps: Sequence[ApplicationStep]) -> Figure:
    test = steps[0].name
    several = len({step.run_name for step in steps}) > 1
    rows = [row for step in steps for row in _rows(step, several)]
    table = f"multi-pair-{test}"
    return Figure(table, _TITLES[test], _CAPTIONS[test], _spec(table, rows, test), {table: rows})


def _rows(step: ApplicationStep, several: bool) -> Iterator[Row]:
    prefix = f"{step.run_name} · " if several else ""
    for point in step.results:
        if point.policy != "alone":
            yield _row(point, prefix)
    if step.name != "latency":
        yield from _alone_rows(step, prefix)


def _row(point: MultiPairPoint, prefix: str) -> Row:
    value = point.latency_us or point.sum_mbps
    return {
        **_place(prefix + point.policy, point.pairs, point.size_bytes),
        "value": short(value.median),
        "low": short(value.low),
        "high": short(value.high),
        "value_text": (format_us if point.latency_us else format_mbps)(value.median),
        "spread_text": f"{point.spread_pct:.1f} %",
        "title": f"{prefix}{point.policy}, {_pairs(point.pairs)}",
    }


def _place(series: str, pairs: int, size_bytes: int) -> Row:
    size_text = format_bytes(size_bytes)
    return {"series": series, "pairs": _pairs(pairs), "size": size_bytes, "size_text": size_text}


def _alone_rows(step: ApplicationStep, prefix: str) -> Iterator[Row]:
    """The sum of all interfaces' rates when each runs alone, which is an upper bound."""
    alone = [point for point in step.results if point.policy == "alone"]
    for size in sorted({point.size_bytes for point in alone}):
        mine = [point.sum_mbps.median for point in alone if point.size_bytes == size]
        if len(mine) > 1:
            yield {
                **_place(prefix + ALONE, 1, size),
                **dict.fromkeys(("value", "low", "high"), short(sum(mine))),
                "value_text": format_mbps(sum(mine)),
                "spread_text": "",
                "title": prefix + ALONE,
            }


def _pairs(count: int) -> str:
    return "1 pair" if count == 1 else f"{count} pairs"


_TOOLTIP = {
    "title": "title",
    "size_text": "Size",
    "value_text": "Median",
    "spread_text": "Lowest to highest",
}


def _spec(table: str, rows: Sequence[Row], test: str) -> Spec:
    scale = axes.log_scale([row["size"] for row in rows], 2)
    x = alt.X("size:Q", scale=scale, axis=axes.size_axis("x", scale))
    values = [row[end] for row in rows for end in ("low", "high")]
    y = alt.Y("value:Q", scale=axes.log_scale(values, 10), axis=axes.time_axis("y"))
    if test != "latency":
        axis = axes.rate_axis(max(values), "All pairs together")
        y = alt.Y("value:Q", scale=axes.linear_scale(max(values)), axis=axis)
    counts = sorted({row["pairs"] for row in rows}, key=lambda text: int(text.split()[0]))
    dashes = parts.dashes(counts, counts, "pairs")
    band = {"x": x, "y": "low:Q", "y2": "high", "detail": "pairs:N"}
    line = parts.layer(table, "line", {"strokeWidth": 1.8}, x=x, y=y, strokeDash=dashes)
    layers = [
        parts.layer(table, "area", {"opacity": 0.1}, **band),
        line.add_params(parts.zoom()),
        parts.layer(table, "circle", {"size": 26, "opacity": 1}, x=x, y=y),
        parts.hover(table, _TOOLTIP, x=x, y=y),
    ]
    colour = parts.colour(list(dict.fromkeys(row["series"] for row in rows)))
    return parts.sized(alt.layer(*(each.encode(color=colour) for each in layers)), HEIGHT)
