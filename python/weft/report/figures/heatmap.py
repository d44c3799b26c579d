"""All pairs of nodes as a map: a row for each sender, a column for each receiver."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from weft.diagnose.ensemble.matrix import RateMatrix
from weft.quantity import format_bytes
from weft.report.ensemble import Ensemble, EnsembleStep
from weft.report.figures.drawing.figure import Figure, Row
from weft.report.figures.drawing.heatmap_chart import heatmap_chart
from weft.report.figures.drawing.rounding import short
from weft.report.figures.slowness import slow_marks
from weft.report.material import Material

KINDS = ("matrix", "alltoall", "random", "xray")
"""Patterns that measure pairs; of a run, the first of these that it has is drawn."""


@dataclass(frozen=True)
class Map:
    """One matrix of a run, as rates or as latencies."""

    name: str
    one: Ensemble
    step: EnsembleStep
    matrix: RateMatrix

    @property
    def values(self) -> dict[tuple[str, str], float]:
        """What was measured, by names."""
        matrix = self.matrix
        cells = matrix.mbps if matrix.latency_us is None else matrix.latency_us
        known = np.argwhere(~np.isnan(cells))
        return {
            (matrix.names[row], matrix.names[column]): float(cells[row, column])
            for row, column in known
        }

    @property
    def what(self) -> str:
        return "latency" if self.step.is_latency else "rate"

    def title(self, order: str) -> str:
        return f"All pairs of {self.one.label}, nodes by {order}: {self.what}"

    def caption(self, cells: Sequence[Row], frames: Sequence[Row], marks: Sequence[Row]) -> str:
        """What the map shows, and what the marks mean that it has."""
        size = format_bytes(self.matrix.size_bytes)
        how = {"alltoall": "during all-to-all", "xray": "during xray"}.get(self.step.kind, "")
        measured = f"{size} messages {how}".strip()
        framed = "groups" if self.one.groups else "nodes that reach each other alike"
        marked = [f"Framed: {framed}."] if frames else []
        marked += ["Red: slow."] if marks else []
        marked += ["Lilac: not measured."] if any(row["value"] is None for row in cells) else []
        return " ".join([f"{measured}.", *marked])


def heatmap_figures(material: Material) -> list[Figure]:
    """For each run the map of its rates and that of its latencies, by group and by name."""
    maps = [
        Map(f"pairs-{i + 1}{'-latency' if step.is_latency else ''}", one, step, step.matrix)
        for i, one in enumerate(material.ensembles)
        for step in _chosen(one)
        if step.matrix
    ]
    return [figure for each in maps for figure in _figures(each)]


def _chosen(one: Ensemble) -> list[EnsembleStep]:
    steps = [step for kind in KINDS for step in one.steps if step.kind == kind and step.matrix]
    rates = [step for step in steps if not step.is_latency]
    return [*rates[:1], *[step for step in steps if step.is_latency][:1]]


def _figures(each: Map) -> Iterator[Figure]:
    """Two maps, or one where the groups are in the order of names."""
    members = set(each.matrix.names)
    by_name = [name for name in each.one.by_name if name in members]
    by_group = [name for name in each.one.by_group if name in members]
    cells = f"{each.name}-cells"
    rows = _cell_rows(each, by_name)
    same = by_group == by_name
    orders = [("name", by_name)] if same else [("group", by_group), ("name", by_name)]
    for order, names in orders:
        frames = _border_rows(each.one, names)
        marks = slow_marks(each.one, each.step, names)
        tables = {
            cells: rows,
            f"{each.name}-{order}-groups": frames,
            f"{each.name}-{order}-slow": marks,
        }
        places = [names.index(name) for name in by_name]
        spec = heatmap_chart(tables, names, places, each.step.is_latency)
        caption = each.caption(rows, frames, marks)
        yield Figure(
            f"{each.name}-by-{order}", each.title(order), caption, spec, tables, square=True
        )


def _cell_rows(each: Map, names: Sequence[str]) -> list[Row]:
    """Sender and receiver by their place among the names, and the value or none."""
    values = each.values
    return [
        {"from": i, "to": j, "value": _value(values.get((src, dst)))}
        for i, src in enumerate(names)
        for j, dst in enumerate(names)
        if i != j
    ]


def _value(value: float | None) -> float | None:
    return None if value is None else short(value, 4)


def _border_rows(one: Ensemble, names: Sequence[str]) -> list[Row]:
    """The groups that are next to each other in this order; that of all nodes is the map's edge."""
    place = {name: i for i, name in enumerate(names)}
    found = []
    for group in one.groups or one.blocks:
        places = sorted(place[name] for name in group if name in place)
        if 1 < len(places) < len(names) and all(b == a + 1 for a, b in pairwise(places)):
            found.append({"start": places[0], "end": places[-1] + 1})
    return found
