"""Stacked shares over message size: a lane for each item, a colour for each part."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import altair as alt

from weft.base.quantity import full_size
from weft.understand.drawing import axes, parts
from weft.understand.drawing.figure import Row, Spec, short

Shares = Mapping[str, float]
"""The shares of one lane at one size, by kind, from the bottom up."""

GAP = 0.12
"""The gap between lanes, as a share of their height."""


@dataclass(frozen=True)
class Stacks:
    """A stacked plot. `lanes` are listed from the top, each `lane_px` high; `kinds` have colours of `scheme`, or of the
    report's palette."""

    table: str
    rows: Sequence[Row]
    lanes: Sequence[str]
    kinds: Sequence[str]
    lane_px: int
    scheme: Literal["tableau20"] | None = None

    def spec(self) -> Spec:
        edges = [edge for row in self.rows for edge in (row["left"], row["right"])]
        x = alt.Scale(type="log", base=2, domain=[min(edges), max(edges)], nice=False)
        y = alt.Scale(domain=[0, len(self.lanes)], nice=False, zero=False)
        titles = {"lane": "title", "size_text": "Message size", "kind": "Of it", "text": "Share"}
        boxes = parts.layer(
            self.table,
            "rect",
            {},
            x=alt.X("left:Q", scale=x, axis=axes.size_axis("x", x)),
            x2="right",
            y=alt.Y("bottom:Q", scale=y, axis=self._names_axis),
            y2="top",
            fill=parts.kinds(self.kinds, self.scheme),
            tooltip=parts.tooltip(titles),
        ).add_params(parts.zoom())
        names = alt.param(name="names", value=list(self.lanes))
        # Wrapped in a layer, because the page zooms layers.
        chart = alt.layer(boxes).add_params(names)
        return parts.sized(chart, max(120, self.lane_px * len(self.lanes)))

    @property
    def _names_axis(self) -> alt.Axis:
        """Names in the middle of their lanes, and a grid line at 100 % of each lane."""
        count = len(self.lanes)
        is_top = f"datum.value % 1 > {1 - GAP * 1.5}"
        places = [i + part * (1 - GAP) for i in range(count) for part in (0.5, 1)]
        return alt.Axis(
            title=None,
            values=places,
            tickCount=len(places),
            labelExpr=f"{is_top} ? '100 %' : names[{count} - 1 - floor(datum.value)]",
            labelLimit=160,
            gridOpacity={"condition": {"test": is_top, "value": 1}, "value": 0},
            ticks=False,
        )


def stacked(lanes: Sequence[str], shares: Mapping[tuple[str, int], Shares]) -> Iterator[Row]:
    """The rectangles of `shares`, which are by lane and size; a logarithmic axis cannot show messages of zero bytes."""
    sizes = sorted({size for _, size in shares if size > 0})
    spans = dict(zip(sizes, _spans(sizes), strict=True))
    for (lane, size), parts_of in shares.items():
        if size not in spans:
            continue
        floor = float(len(lanes) - 1 - lanes.index(lane))
        for kind, share in parts_of.items():
            if share <= 0:
                continue
            top = floor + share * (1 - GAP)
            left, right = spans[size]
            yield {
                "lane": lane,
                "kind": kind,
                "left": short(left),
                "right": short(right),
                "bottom": short(floor),
                "top": short(top),
                "size_text": full_size(size),
                "text": f"{100 * share:.1f} %",
            }
            floor = top


def _spans(sizes: Sequence[int]) -> list[tuple[float, float]]:
    """The span of each size: half of the way to its neighbours on a logarithmic axis."""
    middles = [math.sqrt(a * b) for a, b in pairwise(sizes)]
    first = sizes[0] ** 2 / middles[0] if middles else sizes[0] / math.sqrt(2)
    last = sizes[-1] ** 2 / middles[-1] if middles else sizes[-1] * math.sqrt(2)
    edges = [first, *middles, last]
    return list(pairwise(edges))
