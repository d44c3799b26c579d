"""How nodes spent their time while a program ran: computing, communicating, or waiting."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from weft.base.interval import Interval
from weft.base.statistics import Floats, median_interval
from weft.plan.phases import expand
from weft.runs.columns.tables import ACTIVITIES_NAME
from weft.runs.folder import RunFolder
from weft.understand.curve.curve import Ints, column, group_slices

KINDS = ("compute", "communicate", "wait")
"""The kinds of activity, each with a column `KIND_ns`; they add up to the time until the node's own last end."""


@dataclass(frozen=True)
class ActivityShare:
    """One kind of activity over the nodes: the median, and the node with most of it. Each node counts with its median
    over trials."""

    kind: str
    median_ms: float
    worst_ms: float
    worst_node: str


@dataclass(frozen=True)
class PhaseActivity:
    """One phase of a step: its time until the last node ended, and the activities of the nodes. `last_node` is the node
    that most often ended last.

    The program ran `trials` times in all. `by_launch_ms` has each launch's median over trials, `elapsed_ms` their
    median. `elapsed` is its interval over launches, or over trials if there is one launch.
    """

    step: int
    phase: int
    nodes: int
    elapsed_ms: float
    last_node: str
    shares: tuple[ActivityShare, ...]
    size_bytes: int
    trials: int
    elapsed: Interval
    by_launch_ms: tuple[float, ...]


def activities(run: RunFolder) -> list[PhaseActivity]:
    """The phases of all steps that are programs, in order."""
    order = [(name, "ascending") for name in ("step", "phase", "launch", "trial", "node")]
    table = run.side_table(ACTIVITIES_NAME).sort_by(order)
    names = np.array([str(node["name"]) for node in run.meta.nodes])
    slices = group_slices(column(table, "step"), column(table, "phase"))
    parts = [table.slice(rows.start, rows.stop - rows.start) for rows in slices]
    return [_of_phase(run, part, names) for part in parts]


def _of_phase(run: RunFolder, table: pa.Table, names: npt.NDArray[np.str_]) -> PhaseActivity:
    """A phase from its rows, in which each execution has one consecutive row for every node."""
    step, phase = (int(column(table, name)[0]) for name in ("step", "phase"))
    phases = expand(run.meta.plan.steps[step], len(run.meta.nodes))
    launch, end_ns = column(table, "launch"), column(table, "end_ns")
    executions = len(group_slices(launch, column(table, "trial")))
    nodes = table.num_rows // executions
    here = names[column(table, "node")[:nodes]]
    ends_ms: Floats = end_ns.reshape(executions, nodes) / 1e6
    elapsed_ms = ends_ms.max(axis=1)
    by_launch = [
        float(median_interval(elapsed_ms[launch[::nodes] == one], upper=True).median)
        for one in np.unique(launch)
    ]
    elapsed = median_interval(by_launch if len(by_launch) > 1 else elapsed_ms, upper=True)
    return PhaseActivity(
        step=step,
        phase=phase,
        nodes=nodes,
        elapsed_ms=elapsed.median,
        last_node=str(here[np.argmax(np.bincount(ends_ms.argmax(axis=1)))]),
        shares=tuple(
            _share(kind, column(table, f"{kind}_ns").reshape(executions, nodes), here)
            for kind in KINDS
        ),
        size_bytes=phases[phase].size_bytes,
        trials=executions,
        elapsed=elapsed,
        by_launch_ms=tuple(by_launch),
    )


def _share(kind: str, time_ns: Ints, names: npt.NDArray[np.str_]) -> ActivityShare:
    """The share of one kind from its times (executions x nodes)."""
    time_ms: Floats = np.median(time_ns, axis=0) / 1e6
    worst = int(np.argmax(time_ms))
    return ActivityShare(kind, float(np.median(time_ms)), float(time_ms[worst]), str(names[worst]))
