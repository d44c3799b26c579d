"""What many streams reach together, and what a chain of nodes carries."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from weft.quantity import format_mbps, format_us
from weft.report.ensemble import Ensemble, EnsembleStep
from weft.report.figures.drawing.figure import Figure, Row, short
from weft.report.figures.drawing.plots import count_spec, overlap_text
from weft.report.material import Material

_KINDS = {
    "streams": (
        "Streams: all together over their number",
        "Each point: what the streams of one phase carried together.",
        ("Number of streams", "All streams together"),
    ),
    "cast": (
        "Cast: rate of a multi-drop chain over its nodes",
        "Each point: the image over the time until the last node had it.",
        ("Nodes in the chain", "Rate of the chain"),
    ),
}
"""By pattern the title, the caption, and the titles of both axes."""


def scaling_figures(material: Material) -> list[Figure]:
    """The aggregate over the number of streams, and the rate of a chain over its nodes."""
    found = []
    for kind, (title, caption, titles) in _KINDS.items():
        rows = [row for one in material.ensembles for row in _rows(one, kind)]
        tooltip = {
            "series": "title",
            "count": titles[0],
            "rate_text": titles[1],
            "slowest_text": "Slowest route",
            "time_text": "Took",
        }
        if rows:
            spec = count_spec(kind, rows, material.labels, titles, tooltip, doubling=True)
            found.append(Figure(kind, title, caption + overlap_text(rows), spec, {kind: rows}))
    return found


def _rows(one: Ensemble, kind: str) -> Iterator[Row]:
    numbers = _stream_row if kind == "streams" else _cast_row
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
