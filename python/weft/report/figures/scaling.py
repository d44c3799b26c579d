"""What many streams reach together, and what a chain of nodes carries."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from weft.quantity import format_mbps, format_us
from weft.report.ensemble import Ensemble, EnsembleStep
from weft.report.figures.drawing.figure import Figure, Row
from weft.report.figures.drawing.overlap import overlap_text
from weft.report.figures.drawing.plots import CountPlot
from weft.report.figures.drawing.rounding import short
from weft.report.material import Material


def scaling_figures(material: Material) -> list[Figure]:
    """The aggregate over the number of streams, and the rate of a chain over its nodes."""
    streams = [row for one in material.ensembles for row in _rows(one, "streams", _stream_row)]
    casts = [row for one in material.ensembles for row in _rows(one, "cast", _cast_row)]
    found = []
    if streams:
        title = "Streams: all together over their number"
        caption = "Each point: what the streams of one phase carried together."
        titles = ("Number of streams", "All streams together")
        found.append(_figure("streams", title, caption, titles, streams, material))
    if casts:
        title = "Cast: rate of a multi-drop chain over its nodes"
        caption = "Each point: the image over the time until the last node had it."
        titles = ("Nodes in the chain", "Rate of the chain")
        found.append(_figure("cast", title, caption, titles, casts, material))
    return found


def _figure(
    name: str,
    title: str,
    caption: str,
    axis_titles: tuple[str, str],
    rows: list[Row],
    material: Material,
) -> Figure:
    count_title, rate_title = axis_titles
    tooltip: Mapping[str, str] = {
        "series": "title",
        "count": count_title,
        "rate_text": rate_title,
        "slowest_text": "Slowest route",
        "time_text": "Took",
    }
    plot = CountPlot(
        table=name,
        rows=rows,
        count_title=count_title,
        rate_title=rate_title,
        tooltip=tooltip,
        doubling=True,
        labels=material.labels,
    )
    return Figure(name, title, caption + overlap_text(rows), plot.spec(), {name: rows})


def _rows(one: Ensemble, kind: str, numbers: Any) -> Iterator[Row]:
    for step in one.steps:
        # Which nodes take part in a phase is not read from the few transfers that are kept.
        for phase in step.largest if step.kind == kind and not step.digests else ():
            count, rate_mbps = numbers(one, step, phase.phase)
            yield {
                "series": step.label,
                "count": count,
                "rate": short(rate_mbps),
                "rate_text": format_mbps(rate_mbps),
                "slowest_text": f"{' to '.join(phase.slowest)}, {format_mbps(phase.rate_mbps)}",
                "time_text": format_us(phase.elapsed_ms * 1e3),
                "odd": False,
            }


def _stream_row(one: Ensemble, step: EnsembleStep, phase: int) -> tuple[int, float]:
    """How many streams, and what all of them carried."""
    (found,) = [each for each in step.phases if each.phase == phase]
    return sum(one.streams for one in step.expanded[phase].transfers), found.aggregate_mbps


def _cast_row(one: Ensemble, step: EnsembleStep, phase: int) -> tuple[int, float]:
    """How many nodes, and the image over the time of the last one to have it.

    On two networks each carries a half of the image, so the image is what all transfers of the
    first link carry.
    """
    transfers = step.expanded[phase].transfers
    image = sum(each.bytes for each in transfers if each.ends == transfers[0].ends)
    nodes = {end for each in transfers for end in each.ends}
    times_us = one.rates.time_us[(one.rates.step == step.index) & (one.rates.phase == phase)]
    return len(nodes), image * 8 / float(np.max(times_us))
