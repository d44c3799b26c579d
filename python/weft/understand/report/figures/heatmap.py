"""All pairs of nodes as a map: a row for each sender, a column for each receiver."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from weft.base.nodeset import fold
from weft.base.quantity import format_bytes
from weft.base.statistics import Floats
from weft.understand.drawing.figure import Figure, Row, short
from weft.understand.drawing.heatmap_chart import heatmap_chart
from weft.understand.ensemble.matrix import RateMatrix
from weft.understand.report.ensemble import EnsembleRun, EnsembleStep
from weft.understand.report.figures.map_marks import (
    OutlinedEnds,
    RemeasuredMap,
    Route,
    outlined,
    rectangles,
    replaced,
)
from weft.understand.report.material import ReportMaterial

KINDS = ("matrix", "alltoall", "random", "xray")
"""Patterns that measure pairs; the first of these that a run has is drawn."""

LARGEST_SIDE = 256
"""The most rows of a map; more would be finer than pixels, and a browser needs minutes for a million cells."""


@dataclass(frozen=True)
class RateMap:
    """One matrix of a run, as rates or as latencies."""

    name: str
    one: EnsembleRun
    step: EnsembleStep
    matrix: RateMatrix
    second: RemeasuredMap | None = None

    @cached_property
    def again(self) -> dict[Route, float]:
        """The values of routes that were measured again."""
        return self.second.of(self.matrix) if self.second else {}

    @cached_property
    def outlined(self) -> list[OutlinedEnds]:
        """The slow ends, by reason."""
        return outlined(self.one, self.step, self.second)

    def worst(self, names: Sequence[str], side: int) -> Floats:
        """The lowest rate or longest latency of each square of `side` x `side` routes; NaN if none was measured.

        Shape (squares, squares), senders by receivers in the order of the names.
        """
        matrix = self.matrix
        first = matrix.mbps if matrix.latency_us is None else matrix.latency_us
        known = replaced(first, self.again, matrix.names)
        values = known if matrix.latency_us is None else -known
        place = {name: i for i, name in enumerate(matrix.names)}
        order = [place[name] for name in names]
        starts = np.arange(0, len(names), side)
        least = np.fmin.reduceat(values[np.ix_(order, order)], starts, axis=0)
        worst: Floats = np.fmin.reduceat(least, starts, axis=1)
        return worst if matrix.latency_us is None else -worst

    @property
    def what(self) -> str:
        return "latency" if self.step.is_latency else "rate"

    def title(self, order: str) -> str:
        return f"All pairs of {self.one.label}, nodes by {order}: {self.what}"

    def caption(
        self, cells: Sequence[Row], frames: Sequence[Row], again: Sequence[Row], side: int
    ) -> str:
        """The content of the map and the meaning of its marks; red marks are named."""
        size = format_bytes(self.matrix.size_bytes)
        how = {"alltoall": "during all-to-all", "xray": "during xray"}.get(self.step.kind, "")
        measured = f"{size} messages {how}".strip()
        folded = f"Each cell is the worst of {side} x {side} routes." if side > 1 else ""
        framed = "groups" if self.one.groups else "nodes that reach each other alike"
        marked = [f"Framed: {framed}."] if frames else []
        marked += [each.text for each in self.outlined]
        marked += [AGAIN] if again else []
        marked += ["Lilac: not measured."] if any(row["value"] is None for row in cells) else []
        return " ".join(filter(None, [f"{measured}.", folded, *marked]))


AGAIN = "Dashed: measured again, alone; the colour is that of the second value."


def heatmap_figures(material: ReportMaterial, second: RemeasuredMap | None = None) -> list[Figure]:
    """The maps of each run's rates and latencies, by group and by name, with the results of a `second` measurement of
    the same routes."""
    maps = [
        RateMap(
            f"pairs-{i + 1}{'-latency' if step.is_latency else ''}", one, step, step.matrix, second
        )
        for i, one in enumerate(material.ensembles)
        for step in _chosen(one)
        if step.matrix
    ]
    return [figure for each in maps for figure in _figures(each)]


def _chosen(one: EnsembleRun) -> list[EnsembleStep]:
    steps = [step for kind in KINDS for step in one.steps if step.kind == kind and step.matrix]
    rates = [step for step in steps if not step.is_latency]
    return [*rates[:1], *[step for step in steps if step.is_latency][:1]]


def _figures(each: RateMap) -> Iterator[Figure]:
    """Two maps, or one if the groups are in the order of names."""
    members = set(each.matrix.names)
    by_name = [name for name in each.one.by_name if name in members]
    by_group = [name for name in each.one.by_group if name in members]
    side = math.ceil(len(by_name) / LARGEST_SIDE)
    whole = _cell_rows(each, by_name) if side == 1 else []
    same = by_group == by_name
    orders = [("name", by_name)] if same else [("group", by_group), ("name", by_name)]
    for order, names in orders:
        frames = _divided(_border_rows(each.one, names), side)
        slow = [ends for every in each.outlined for ends in every.ends]
        marks = _divided(rectangles(slow, names), side)
        again = _divided(rectangles(list(each.again), names), side)
        rows = whole or _cell_rows(each, names, side)
        tables = {
            f"{each.name}-cells" if whole else f"{each.name}-{order}-cells": rows,
            f"{each.name}-{order}-groups": frames,
            f"{each.name}-{order}-slow": marks,
            **({f"{each.name}-{order}-again": again} if again else {}),
        }
        labels = [fold(names[i : i + side]) for i in range(0, len(names), side)]
        places = [names.index(name) for name in by_name] if whole else range(len(labels))
        spec = heatmap_chart(tables, labels, places, each.step.is_latency)
        caption = each.caption(rows, frames, again, side)
        yield Figure(
            f"{each.name}-by-{order}", each.title(order), caption, spec, tables, square=True
        )


def _cell_rows(each: RateMap, names: Sequence[str], side: int = 1) -> list[Row]:
    """Sender and receiver by their position among the names, and the value or None."""
    return [
        {"from": i, "to": j, "value": None if math.isnan(value) else short(value, 4)}
        for i, row in enumerate(each.worst(names, side).tolist())
        for j, value in enumerate(row)
        if side > 1 or i != j
    ]


def _divided(rows: Sequence[Row], side: int) -> list[Row]:
    """Positions of nodes as positions of cells."""
    return [{key: place / side for key, place in row.items()} for row in rows]


def _border_rows(one: EnsembleRun, names: Sequence[str]) -> list[Row]:
    """The frames of groups whose nodes are adjacent in this order, without that of all nodes."""
    place = {name: i for i, name in enumerate(names)}
    found = []
    for group in one.groups or one.blocks:
        places = sorted(place[name] for name in group if name in place)
        if 1 < len(places) < len(names) and all(b == a + 1 for a, b in pairwise(places)):
            found.append({"start": places[0], "end": places[-1] + 1})
    return found
