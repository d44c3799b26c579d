"""Traffic simulations over numbers of nodes: their speed relative to real time, and how nodes spent their time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from weft.base.interval import Interval
from weft.base.statistics import Floats, median_interval, middle_rank
from weft.runs.columns.tables import TRAFFIC_NAME
from weft.runs.folder import RunFolder
from weft.understand.curve.curve import Ints, column, group_slices

SHARES = ("compute", "communicate", "wait")
"""Kinds of activity of nodes, each with a column `NAME_ns` over all nodes."""


@dataclass(frozen=True)
class TrafficResult:
    """The simulation of `seconds` of traffic over `nodes` nodes. A step is one second, so steps per second is the speed
    relative to real time; on a simulated network it covers the `carried` steps only. `share` is of the nodes' time in
    the median launch. `hash` covers the final state of all cars; it must be equal in all launches and for all numbers
    of nodes, or the program is wrong."""

    step: int
    phase: int
    nodes: int
    seconds: int
    carried: int
    launches: int
    steps_per_s: Interval
    share: dict[str, float]
    hash: str
    home: int
    waiting: int
    driving: int
    arrived: int
    passed: int
    messages: int
    bytes: int

    @property
    def real_time_ratio(self) -> float:
        """Simulated time over elapsed time, in the median launch."""
        return self.steps_per_s.median


def traffic(run: RunFolder) -> list[TrafficResult]:
    """The phases of all steps that are traffic, in order."""
    # A single node sends nothing, so its phase has no samples, for lack of which other tables leave it out.
    table = run.stored_table(TRAFFIC_NAME)
    table = table.sort_by([(name, "ascending") for name in ("step", "phase", "launch")])
    steps, phases = column(table, "step"), column(table, "phase")
    columns = {name: column(table, name) for name in table.column_names}
    return [_driven(columns, rows) for rows in group_slices(steps, phases)]


def hashes_differ(found: Sequence[TrafficResult]) -> bool:
    """Whether the final state of the cars depends on the number of nodes."""
    of_step = {one.step: {each.hash for each in found if each.step == one.step} for one in found}
    return any(len(hashes) > 1 for hashes in of_step.values())


def _driven(columns: dict[str, Ints], rows: slice) -> TrafficResult:
    here = {name: values[rows] for name, values in columns.items()}
    rates: Floats = here["steps"] / np.maximum(here["elapsed_ns"], 1) * 1e9
    middle = int(np.argsort(rates)[middle_rank(len(rates))])
    hashes = {f"{int(one) % 2**64:016x}" for one in here["hash"]}
    counts = ("home", "waiting", "driving", "arrived", "passed", "messages", "bytes")
    keys = ("step", "phase", "nodes", "seconds")
    return TrafficResult(
        **{name: int(here[name][0]) for name in keys},
        carried=int(here["steps"][0]),
        launches=len(rates),
        steps_per_s=median_interval(rates),
        share=_shares(here, middle),
        hash=" ".join(sorted(hashes)),
        **{name: int(here[name][0]) for name in counts},
    )


def _shares(here: dict[str, Ints], row: int) -> dict[str, float]:
    times = {name: int(here[f"{name}_ns"][row]) for name in SHARES}
    whole = sum(times.values())
    return {name: time / whole if whole else 0.0 for name, time in times.items()}
