"""Traffic simulations over numbers of nodes: how much faster than real time, and the time without computing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import altair as alt

from weft.understand.drawing import axes
from weft.understand.drawing.figure import Figure, Row, Spec, short
from weft.understand.drawing.plots import LinePlot
from weft.understand.kinds.kind import ApplicationStep
from weft.understand.kinds.traffic.driven import TrafficResult

RATIO, WAITING = "traffic-ratio", "traffic-waiting"
_NODES = "Nodes"


def traffic_figures(steps: Sequence[ApplicationStep], labels: Sequence[str]) -> list[Figure]:
    """The real-time ratio, and the share of communicating and waiting, over nodes."""
    ratio = [row for one in steps for row in _ratios(one)]
    waiting = [row for one in steps for row in _shares(one)]
    faster = "Times faster than real time"
    values = [row["value"] for row in ratio]
    return [
        Figure(
            RATIO,
            "Traffic simulation: real-time ratio over nodes",
            "Simulated time over the time it took, in the median launch.",
            _spec(RATIO, ratio, labels, faster, axes.log_scale(values, 10)),
            {RATIO: ratio},
        ),
        Figure(
            WAITING,
            "Traffic simulation: time without computing over nodes",
            "What nodes communicate and wait of their time. Thin: what they wait.",
            _spec(WAITING, waiting, labels, "Not computing (%)", axes.linear_scale(100)),
            {WAITING: waiting},
        ),
    ]


def _ratios(step: ApplicationStep) -> Iterator[Row]:
    for one in step.results:
        rate = one.steps_per_s
        yield _row(step.label, one) | {
            "value": short(rate.median),
            "value_text": f"{rate.median:.4g} ({rate.low:.4g} to {rate.high:.4g})",
        }


def _shares(step: ApplicationStep) -> Iterator[Row]:
    for one in step.results:
        without = 100 * (one.share["communicate"] + one.share["wait"])
        waiting = 100 * one.share["wait"]
        yield _row(step.label, one) | {
            "value": short(without),
            "thin": short(waiting),
            "value_text": f"{without:.1f}, of it waiting {waiting:.1f}",
        }


def _row(label: str, one: TrafficResult) -> Row:
    return {"series": label, "count": one.nodes, "hash": one.hash}


def _spec(
    table: str, rows: Sequence[Row], labels: Sequence[str], y_title: str, y_scale: alt.Scale
) -> Spec:
    counts = sorted({row["count"] for row in rows})
    axis = alt.Axis(title=_NODES, values=counts, labelOverlap="parity")
    lines = {"series": "title", "count": _NODES, "value_text": y_title, "hash": "Hash of all cars"}
    return LinePlot(
        table,
        rows,
        labels,
        alt.X("count:Q", scale=axes.log_scale(counts, 2), axis=axis),
        "value",
        alt.Axis(title=y_title, grid=True),
        y_scale,
        lines,
        dot_px=45,
        faint=("thin", 0.65) if table == WAITING else None,
    ).spec()
