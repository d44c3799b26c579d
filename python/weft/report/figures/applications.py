"""What nodes do on which applications compute: over the LAWS ratio gamma, and over the users of a web server."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt

from weft.report.applications import LoadStep
from weft.report.figures.drawing import parts
from weft.report.figures.drawing.figure import Figure, Row, Spec, chart_spec
from weft.report.figures.drawing.rounding import short
from weft.report.material import Material

HEIGHT = 340
_GAMMA = "Application ratio gamma: application work over communication work"
_THIN = "Thin: at most, by LAWS, with the work that each stage has at gamma 0."


@dataclass(frozen=True)
class _Plot:
    """A figure over the load: a value of each point, and perhaps a bound beside it."""

    name: str
    title: str
    caption: str
    x_title: str
    y_title: str
    points: Callable[[LoadStep], Sequence[Any]]
    at: Callable[[Any], float]
    value: Callable[[Any], float]
    bound: Callable[[Any], float] | None = None
    decades: bool = False


_PLOTS = (
    _Plot(
        "gamma-throughput",
        "Throughput over the application's work",
        _THIN,
        _GAMMA,
        "Throughput (Mb/s)",
        lambda step: step.loaded,
        lambda one: float(one.gamma),
        lambda one: float(one.throughput_mbps),
        lambda one: float(one.laws_mbps),
    ),
    _Plot(
        "gamma-gain",
        "What offload adds to the throughput",
        f"Over the same machine with everything on the application's processor. {_THIN}",
        _GAMMA,
        "Gain (%)",
        lambda step: step.loaded,
        lambda one: float(one.gamma),
        lambda one: 100 * float(one.gain),
        lambda one: 100 * float(one.laws_gain),
    ),
    _Plot(
        "web-pages",
        "Web server: pages over users",
        "Users think between a page and the next request.",
        "Users",
        "Pages per second",
        lambda step: step.web,
        lambda one: float(one.users),
        lambda one: float(one.pages_per_s),
    ),
    _Plot(
        "web-response",
        "Web server: response time over users",
        "From the request to the last byte of the page. Thin: 95 % of the pages came within this.",
        "Users",
        "Response time (ms)",
        lambda step: step.web,
        lambda one: float(one.users),
        lambda one: float(one.response_us) / 1e3,
        lambda one: float(one.p95_us) / 1e3,
        decades=True,
    ),
    _Plot(
        "web-load",
        "Web server: how busy its processors are",
        "The busiest of the server's processors; all of them are in the table below.",
        "Users",
        "Busy (%)",
        lambda step: step.web,
        lambda one: float(one.users),
        lambda one: 100 * max(float(one.busy[name]) for name in one.interrupts_per_s),
    ),
    _Plot(
        "web-interrupts",
        "Web server: interrupts over users",
        "Of all the server's processors together.",
        "Users",
        "Interrupts per second",
        lambda step: step.web,
        lambda one: float(one.users),
        lambda one: float(sum(one.interrupts_per_s.values())),
    ),
)


def load_figures(material: Material) -> list[Figure]:
    """Throughput and gain over gamma; pages, response times, load and interrupts over users."""
    figures = []
    for plot in _PLOTS:
        rows = [row for step in material.loads for row in _rows(plot, step)]
        if rows:
            spec = _spec(plot, rows, material.labels)
            figures.append(Figure(plot.name, plot.title, plot.caption, spec, {plot.name: rows}))
    return figures


def _rows(plot: _Plot, step: LoadStep) -> Iterator[Row]:
    for one in plot.points(step):
        at, value = plot.at(one), plot.value(one)
        row = {"series": step.label, "at": short(at), "value": short(value)}
        row |= {"at_text": f"{at:g}", "value_text": f"{value:.4g}"}
        if plot.bound:
            row |= {"bound": short(plot.bound(one)), "bound_text": f"{plot.bound(one):.4g}"}
        yield row


def _spec(plot: _Plot, rows: Sequence[Row], labels: Sequence[str]) -> Spec:
    used = parts.used_labels(labels, rows)
    fields = ["value", "bound"] if plot.bound else ["value"]
    x, y = _x(plot, rows), {of: _y(plot, of) for of in fields}
    lines = [_line(plot, of).encode(x=x, y=y[of]) for of in fields]
    dashes = parts.dashes(labels, used)
    marks = [_dots(plot).encode(x=x, y=y["value"]), _hover(plot).encode(x=x, y=y["value"])]
    layers = [*(line.encode(strokeDash=dashes) for line in lines), *marks]
    layers[0] = layers[0].add_params(parts.zoom())
    colour = parts.colour(labels, used)
    seen = [layer.encode(color=colour).transform_filter(parts.ONLY_SHOWN) for layer in layers]
    chart = alt.layer(*seen).add_params(parts.shown(labels))
    return chart_spec(chart.properties(width=parts.WIDTH, height=HEIGHT))


def _line(plot: _Plot, of: str) -> alt.Chart:
    is_value = of == "value"
    mark: alt.Chart = alt.Chart(parts.table(plot.name)).mark_line(
        strokeWidth=2.0 if is_value else 1.0, opacity=1.0 if is_value else 0.6, clip=True
    )
    return mark


def _dots(plot: _Plot) -> alt.Chart:
    mark: alt.Chart = alt.Chart(parts.table(plot.name)).mark_circle(size=30, opacity=1, clip=True)
    return mark


def _hover(plot: _Plot) -> alt.Chart:
    lines: Mapping[str, str] = {
        "series": "title",
        "at_text": plot.x_title.partition(":")[0],
        "value_text": plot.y_title,
    }
    if plot.bound:
        lines = {**lines, "bound_text": "Thin line"}
    mark = alt.Chart(parts.table(plot.name)).mark_point(filled=True, size=80, clip=True)
    return parts.highlight(parts.nearest(), parts.encode(mark, tooltip=parts.tooltip(lines)))


def _x(plot: _Plot, rows: Sequence[Row]) -> alt.X:
    """With a little air at both ends, so that the first and the last point are whole."""
    low, high = min(row["at"] for row in rows), max(row["at"] for row in rows)
    air = (high - low) * 0.015 or 0.5
    scale = alt.Scale(domain=[low - air, high + air], nice=False)
    return alt.X("at", type="quantitative", axis=alt.Axis(title=plot.x_title), scale=scale)


def _y(plot: _Plot, of: str) -> alt.Y:
    scale = alt.Scale(type="log") if plot.decades else alt.Undefined
    axis = alt.Axis(title=plot.y_title, grid=True)
    return alt.Y(of, type="quantitative", axis=axis, scale=scale)
