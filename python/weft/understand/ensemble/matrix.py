"""The rates of one step as a matrix: a row for each sender, a column for each receiver."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from weft.base.statistics import Floats
from weft.plan.pattern import ManyNodes
from weft.plan.plan import Step
from weft.runs.digests import sampled_steps
from weft.runs.folder import RunFolder
from weft.understand.curve.curve import Ints
from weft.understand.ensemble.rates import MedianRates

LEAST_SHARE = 0.25
"""A step that measured a smaller share of its ordered pairs is shown as a list of routes, not as a matrix."""


@dataclass(frozen=True)
class RateMatrix:
    """One value for each ordered pair of the participating nodes; NaN where none was measured.

    `members` are the nodes' positions in the run. Values are those of the largest size, from the phase
    in which the route was fastest. A step that timed round trips has `latency_us` of its smallest message,
    which is symmetric, because a round trip includes both ways. `phase` is the phase of each value, -1
    where there is none.
    """

    step: int
    pattern: str
    size_bytes: int
    members: Ints
    names: tuple[str, ...]
    mbps: Floats
    latency_us: Floats | None
    phase: Ints

    @cached_property
    def asked(self) -> int:
        """The number of ordered pairs of different nodes."""
        return len(self.members) * (len(self.members) - 1)

    @property
    def is_calm(self) -> bool:
        """Whether its rates are those of undisturbed routes; in AAPC they also depend on the phase."""
        return self.pattern == "matrix" and self.latency_us is None

    @cached_property
    def measured(self) -> int:
        """The number of cells with a value."""
        return int(np.count_nonzero(~np.isnan(self.mbps)))


def matrices(
    run: RunFolder, rates: MedianRates, least_share: float = LEAST_SHARE
) -> list[RateMatrix]:
    """The matrices of a run, by step."""
    steps = run.meta.plan.steps_of(ManyNodes)
    found = [matrix_of(run, rates, index, least_share) for index, *_ in steps]
    return [one for one in found if one]


def matrix_of(
    run: RunFolder, rates: MedianRates, step: int, least_share: float = LEAST_SHARE
) -> RateMatrix | None:
    """The matrix of one step over the nodes that it measured or should have; None if it measured less than
    `least_share` of all pairs, or if the run keeps only a sample of its transfers."""
    mine = rates.where(rates.step == step)
    plan_step = run.meta.plan.steps[step]
    if len(mine) == 0 or step in sampled_steps(run.meta):
        return None
    latency = plan_step.measures_latency
    size = int(mine.size.min() if latency else mine.size.max())
    mine = mine.where(mine.size == size)
    members = _members(plan_step, mine, len(run.meta.nodes))
    # Checked before the matrix is built, which would not fit into memory for very many nodes.
    if _measured(mine, latency) < least_share * len(members) * (len(members) - 1):
        return None
    chosen = _chosen_rows(members, mine, latency)
    return RateMatrix(
        step=step,
        pattern=plan_step.pattern.kind,
        size_bytes=size,
        members=members,
        names=tuple(str(run.meta.nodes[member]["name"]) for member in members),
        mbps=np.where(chosen >= 0, mine.mbps[chosen], np.nan),
        latency_us=np.where(chosen >= 0, mine.time_us[chosen], np.nan) if latency else None,
        phase=np.where(chosen >= 0, mine.phase[chosen], -1),
    )


def _measured(rates: MedianRates, both_ways: bool) -> int:
    """The number of cells that have a value."""
    src, dst = rates.src, rates.dst
    if both_ways:
        src, dst = np.minimum(src, dst), np.maximum(src, dst)
    count = len(np.unique(src * (dst.max() + 1) + dst))
    return 2 * count if both_ways else count


def _members(plan_step: Step, rates: MedianRates, nodes: int) -> Ints:
    """The step's nodes, including those that never answered, so that they show up as missing."""
    asked = plan_step.chosen_nodes or range(nodes)
    members: Ints = np.union1d(np.union1d(rates.src, rates.dst), np.array(asked, dtype=np.int64))
    return members.astype(np.int64)


def _chosen_rows(members: Ints, rates: MedianRates, both_ways: bool) -> Ints:
    """For each cell (senders x receivers) the row of its fastest measurement, -1 if there is none."""
    chosen = np.full((len(members), len(members)), -1, dtype=np.int64)
    fastest_last = np.argsort(rates.mbps, kind="stable")
    ends = rates.src[fastest_last], rates.dst[fastest_last]
    rows, columns = (np.searchsorted(members, end) for end in ends)
    chosen[rows, columns] = fastest_last
    if both_ways:
        chosen[columns, rows] = fastest_last
    return chosen
