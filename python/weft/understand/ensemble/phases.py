"""The rates of each phase of a run, its slowest route, and the constraints that limited its transfers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import harmonic_mean

import numpy as np

from weft.base.statistics import median_interval
from weft.runs.columns.tables import BOTTLENECKS_NAME
from weft.runs.digests import Digests, sampled_steps
from weft.runs.folder import RunFolder
from weft.understand.curve.curve import column, group_slices, group_starts, joint_code
from weft.understand.ensemble.rates import MedianRates


@dataclass(frozen=True)
class PhaseResult:
    """One phase of a step; all values are medians over launches.

    All transfers run at once, so the slowest route determines the duration: `rate_mbps` is its rate,
    `slowest` its ends; `mean_mbps` is the mean over routes and `aggregate_mbps` their sum.
    """

    step: int
    pattern: str
    phase: int
    size_bytes: int
    rate_mbps: float
    elapsed_ms: float
    routes: int
    mean_mbps: float
    aggregate_mbps: float
    slowest: tuple[str, str]


def phases(run: RunFolder, rates: MedianRates | None = None) -> list[PhaseResult]:
    """The phases of a run in order; those of steps that keep only a sample of their transfers cover all transfers."""
    rates = rates or MedianRates.of(run)
    spans_ms = _spans_ms(run)
    sampled = sampled_steps(run.meta)
    found = [
        _phase(run, rates.where(rows), spans_ms)
        for rows in rates.by_phase()
        if int(rates.step[rows.start]) not in sampled
    ]
    return sorted([*found, *_digested(run)], key=lambda one: (one.step, one.phase))


def overall_mbps(found: Sequence[PhaseResult]) -> float:
    """The rate of each route over all phases, if each phase lasts as long as its slowest route; 0 without any.

    This is the harmonic mean of the slowest routes' rates, for messages of equal size.
    """
    slowest = [phase.rate_mbps for phase in found]
    return harmonic_mean(slowest) if min(slowest, default=0.0) > 0 else 0.0


def _phase(
    run: RunFolder, rates: MedianRates, spans_ms: dict[tuple[int, int], float]
) -> PhaseResult:
    step, phase = int(rates.step[0]), int(rates.phase[0])
    slowest = int(np.argmin(rates.mbps))
    src, dst = (str(run.meta.nodes[end[slowest]]["name"]) for end in (rates.src, rates.dst))
    return PhaseResult(
        step=step,
        pattern=run.meta.plan.steps[step].pattern.kind,
        phase=phase,
        size_bytes=int(rates.size.max()),
        rate_mbps=float(rates.mbps[slowest]),
        elapsed_ms=spans_ms[step, phase],
        routes=len(rates),
        mean_mbps=float(rates.mbps.mean()),
        aggregate_mbps=float(rates.mbps.sum()),
        slowest=(src, dst),
    )


def _digested(run: RunFolder) -> list[PhaseResult]:
    names = [str(node["name"]) for node in run.meta.nodes]
    steps = run.meta.plan.steps
    return [
        PhaseResult(
            step=row["step"],
            pattern=steps[row["step"]].pattern.kind,
            phase=row["phase"],
            size_bytes=row["size_bytes"],
            rate_mbps=row["slowest_mbps"],
            elapsed_ms=row["elapsed_ns"] / 1e6,
            routes=row["transfers"],
            mean_mbps=row["mean_mbps"],
            aggregate_mbps=row["aggregate_mbps"],
            slowest=(names[row["slowest_src"]], names[row["slowest_dst"]]),
        )
        for row in Digests.of(run).phases.to_pylist()
    ]


def _spans_ms(run: RunFolder) -> dict[tuple[int, int], float]:
    """The time from the first start to the last end, by (step, phase): the median over launches."""
    samples = run.samples
    names = ["step", "phase", "launch"]
    order = np.argsort(joint_code(samples, names), kind="stable")
    step, phase, launch = (column(samples, name)[order] for name in names)
    begin = column(samples, "start_ns")[order]
    end = begin + column(samples, "elapsed_ns")[order]
    starts = group_starts(step, phase, launch)
    if len(starts) == 0:
        return {}
    spans_ms = (np.maximum.reduceat(end, starts) - np.minimum.reduceat(begin, starts)) / 1e6
    step, phase = step[starts], phase[starts]
    return {
        (int(step[rows.start]), int(phase[rows.start])): median_interval(
            spans_ms[rows], upper=True
        ).median
        for rows in group_slices(step, phase)
    }


@dataclass(frozen=True)
class Bottleneck:
    """A constraint that limited `transfers` of a step's transfers, as `share` of all."""

    step: int
    constraint: str
    transfers: int
    share: float


def bottlenecks(run: RunFolder) -> list[Bottleneck]:
    """The constraints of each step, the most frequent first; empty if the run does not record them."""
    sampled = sampled_steps(run.meta)
    rows = [row for row in _counted(run) if row[0] not in sampled]
    digests = Digests.of(run)
    for step in sampled:
        rows += [(step, *counts) for counts in digests.of_step(step).bottleneck_counts()]
    totals: Counter[int] = Counter()
    for step, _, count in rows:
        totals[step] += count
    return [
        Bottleneck(step, constraint, count, count / totals[step])
        for step, constraint, count in sorted(rows, key=lambda row: (row[0], -row[2], row[1]))
    ]


def _counted(run: RunFolder) -> list[tuple[int, str, int]]:
    """Step, constraint and the number of rows that it limited, from runs that record it for each row."""
    table = run.side_table(BOTTLENECKS_NAME)
    counted = table.group_by(["step", "bottleneck"]).aggregate([([], "count_all")])
    rows = counted.to_pylist()
    return [(row["step"], str(row["bottleneck"]), row["count_all"]) for row in rows]
