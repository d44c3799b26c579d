"""Nodes that run applications: figures over the LAWS ratio gamma, and over the users of a web server."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt

from weft.base.errors import RequestError
from weft.network.model.laws import Laws
from weft.network.model.laws_fit import fit_laws
from weft.runs.folder import RunFolder
from weft.understand.kinds.loads.gamma_runs import sweep_of_runs
from weft.understand.kinds.loads.kind import LOADS, offloads, servers, streams
from weft.understand.kinds.loads.loaded import LoadedPoint
from weft.understand.report.applications import ApplicationStep
from weft.understand.report.figures.drawing import axes
from weft.understand.report.figures.drawing.figure import Figure, Row, Spec, short
from weft.understand.report.figures.drawing.plots import LinePlot
from weft.understand.report.material import ReportMaterial

_USERS = "Users"
_GAMMA = "Application ratio gamma: application work over communication work"
_THIN = "Thin: at most, by LAWS, with the work that each stage has at gamma 0."


@dataclass(frozen=True)
class _Plot:
    """A figure over gamma or over users: a value of each point, and optionally a bound."""

    name: str
    title: str
    caption: str
    y_title: str
    value: Callable[[Any], float]
    bound: Callable[[Any], float] | None = None
    decades: bool = False
    of_parts: bool = False
    """Whether it shows parts of a simulated node."""

    @property
    def is_web(self) -> bool:
        return self.name.startswith("web")


_PLOTS = (
    _Plot(
        "gamma-throughput",
        "Throughput over the application's work",
        _THIN,
        "Throughput (Mb/s)",
        lambda one: one.throughput_mbps,
        lambda one: one.laws_mbps,
    ),
    _Plot(
        "gamma-gain",
        "What offload adds to the throughput",
        f"Over the same machine with everything on the application's processor. {_THIN}",
        "Gain (%)",
        lambda one: 100 * one.gain,
        lambda one: 100 * one.laws_gain,
    ),
    _Plot(
        "web-pages",
        "Web server: pages over users",
        "Users think between a page and the next request.",
        "Pages per second",
        lambda one: one.pages_per_s,
    ),
    _Plot(
        "web-response",
        "Web server: response time over users",
        "From the request to the last byte of the page; in an open loop from when it was due. "
        "Thin: 95 % of the pages came within this.",
        "Response time (ms)",
        lambda one: one.response_us / 1e3,
        lambda one: one.p95_us / 1e3,
        decades=True,
    ),
    _Plot(
        "web-load",
        "Web server: how busy its processors are",
        "The busiest of the server's processors; all of them are in the table below.",
        "Busy (%)",
        lambda one: 100 * max(float(one.busy[name]) for name in one.interrupts_per_s),
        of_parts=True,
    ),
    _Plot(
        "web-interrupts",
        "Web server: interrupts over users",
        "Of all the server's processors together.",
        "Interrupts per second",
        lambda one: float(sum(one.interrupts_per_s.values())),
        of_parts=True,
    ),
)


def load_figures(material: ReportMaterial) -> list[Figure]:
    """Throughput and gain over gamma; pages, response times, load and interrupts over users."""
    figures = []
    steps = material.of_kind(LOADS)
    has_gain = any(offloads(streams(step.results)) for step in steps)
    for plot in _PLOTS:
        rows = [row for step in steps for row in _rows(plot, step)]
        labels = list(material.labels)
        if plot.name == "gamma-throughput":
            fits = [row for step in steps for row in _fit_rows(step)]
            labels += dict.fromkeys(str(row["series"]) for row in fits)
            rows += fits
        if rows and (has_gain or plot.name != "gamma-gain"):
            spec = _spec(plot, rows, labels)
            figures.append(Figure(plot.name, plot.title, plot.caption, spec, {plot.name: rows}))
    return figures


def _rows(plot: _Plot, step: ApplicationStep) -> Iterator[Row]:
    points: Sequence[Any] = (servers if plot.is_web else streams)(step.results)
    for one in points:
        if plot.of_parts and not one.interrupts_per_s:
            continue
        at, value = one.users if plot.is_web else one.gamma, plot.value(one)
        row = {"series": step.label, "at": short(at), "value": short(value)}
        row |= {"at_text": f"{at:g}", "value_text": f"{value:.4g}"}
        if plot.bound:
            row |= {"bound": short(plot.bound(one)), "bound_text": f"{plot.bound(one):.4g}"}
        yield row


def _fit_rows(step: ApplicationStep) -> Iterator[Row]:
    """LAWS fitted to the measurement, as a separate line."""
    for gamma, mbps in _fitted(step.run, streams(step.results)):
        row: Row = {
            "series": f"{step.label}, LAWS fitted",
            "at": short(gamma),
            "value": short(mbps),
        }
        row |= {"at_text": f"{gamma:.3g}", "value_text": f"{mbps:.4g}"}
        yield row | {"bound": short(mbps), "bound_text": f"{mbps:.4g}"}


def _fitted(run: RunFolder, points: Sequence[LoadedPoint]) -> list[tuple[float, float]]:
    """Gammas with the throughput in Mb/s of LAWS fitted to the measurement; empty if simulated or without a fit."""
    if not (points and points[0].live):
        return []
    try:
        found = fit_laws(sweep_of_runs([run], points[0].size_bytes).points, {})
    except RequestError:
        return []
    if not isinstance(found.model, Laws):
        return []
    rates = found.values["link_mbps"] * found.model.after([one.gamma_done for one in points])
    return list(zip([one.gamma for one in points], rates.tolist(), strict=True))


def _spec(plot: _Plot, rows: Sequence[Row], labels: Sequence[str]) -> Spec:
    title = _USERS if plot.is_web else _GAMMA
    step = 1.0 if plot.is_web else alt.Undefined
    places = [row["at"] for row in rows]
    scale = axes.airy_scale(min(places), max(places))
    lines = {
        "series": "title",
        "at_text": title.partition(":")[0],
        "value_text": plot.y_title,
        **({"bound_text": "Thin line"} if plot.bound else {}),
    }
    return LinePlot(
        plot.name,
        rows,
        labels,
        alt.X("at:Q", axis=alt.Axis(title=title, tickMinStep=step), scale=scale),
        "value",
        alt.Axis(title=plot.y_title, grid=True),
        alt.Scale(type="log") if plot.decades else alt.Undefined,
        lines,
        dot_px=30,
        faint=("bound", 0.6) if plot.bound else None,
    ).spec()
