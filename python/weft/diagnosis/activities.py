"""What nodes did with their time while a program ran: computed, communicated, or waited."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from weft.diagnosis.curve import Ints, column, group_slices
from weft.runs.folder import Run
from weft.runs.tables import ACTIVITIES_NAME
from weft.statistics import Floats

KINDS = ("compute", "communicate", "wait")
"""What a node does, each with a column `KIND_ns`; together they are its time up to its own last end."""


@dataclass(frozen=True)
class Share:
    """Of one kind of activity over the nodes: the median, and the node that has most of it."""

    kind: str
    median_ms: float
    worst_ms: float
    worst_node: str


@dataclass(frozen=True)
class Activity:
    """One phase of a step: from its begin until its last node ended, and what the nodes did meanwhile. `last_node` is
    the one that the others would have to wait for."""

    step: int
    phase: int
    nodes: int
    elapsed_ms: float
    last_node: str
    shares: tuple[Share, ...]


def activities(run: Run) -> list[Activity]:
    """The phases of all steps that are programs, in order."""
    table = run.side_table(ACTIVITIES_NAME)
    table = table.sort_by([("step", "ascending"), ("phase", "ascending"), ("node", "ascending")])
    names = np.array([str(node["name"]) for node in run.meta.nodes])
    steps, phases = column(table, "step"), column(table, "phase")
    node, end_ns = column(table, "node"), column(table, "end_ns")
    times = {kind: column(table, f"{kind}_ns") for kind in KINDS}
    found = []
    for rows in group_slices(steps, phases):
        here = names[node[rows]]
        last = int(np.argmax(end_ns[rows]))
        found.append(
            Activity(
                step=int(steps[rows.start]),
                phase=int(phases[rows.start]),
                nodes=len(here),
                elapsed_ms=float(end_ns[rows][last]) / 1e6,
                last_node=str(here[last]),
                shares=tuple(_share(kind, times[kind][rows], here) for kind in KINDS),
            )
        )
    return found


def _share(kind: str, time_ns: Ints, names: npt.NDArray[np.str_]) -> Share:
    time_ms: Floats = time_ns / 1e6
    worst = int(np.argmax(time_ms))
    return Share(kind, float(np.median(time_ms)), float(time_ms[worst]), str(names[worst]))
