"""The slow-down of a victim beside a congestor: its time relative to that alone."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from weft.base.interval import Interval
from weft.base.statistics import Floats, median_interval, middle_rank
from weft.plan.pattern import Interference
from weft.runs.columns.tables import LAPS_NAME
from weft.runs.folder import RunFolder
from weft.understand.kinds.interference.shared import CommonLimit, shared_limits
from weft.understand.kinds.interference.trials import (
    ALONE,
    VictimTrial,
    interference_steps,
    roles,
    trials,
)

ByUnit: TypeAlias = Mapping[int, Floats]
"""Times in µs by launch, or by round if there is one launch."""


@dataclass(frozen=True)
class SlowDown:
    """A victim of one size beside one congestor.

    `slow_down`, `mean` and `p99` are ratios of the medians, means and 99th percentiles of its times in a launch, or in
    a round if there is one launch (the latter two are GPCNeT's congestion impact factors). Each is the median over
    these `units`, with a rank-based interval. `covered` is the least share of the victim's time in which the congestor
    had data to send. `shared` is None if the network is unknown.
    """

    step: int
    victim: str
    congestor: str
    size_bytes: int
    victim_nodes: int
    congestor_nodes: int
    units: int
    repeats: int
    alone_us: Interval
    beside_us: Interval
    slow_down: Interval
    mean: Interval
    p99: Interval
    by_unit: tuple[float, ...]
    congestor_mbps: float
    covered: float
    shared: tuple[CommonLimit, ...] | None


def slow_downs(run: RunFolder) -> list[SlowDown]:
    """The slow-downs of all interference steps, in the order of the plan, by size and congestor."""
    laps = run.side_table(LAPS_NAME)
    found = []
    for step, pattern in interference_steps(run.meta):
        found += _of_step(run, step, pattern, trials(run.meta, laps, step, pattern))
    return found


def _of_step(
    run: RunFolder, step: int, pattern: Interference, found: Sequence[VictimTrial]
) -> list[SlowDown]:
    by_kind: dict[tuple[int, str], list[VictimTrial]] = defaultdict(list)
    for one in found:
        by_kind[one.size_bytes, one.congestor].append(one)
    sizes = list(dict.fromkeys(one.size_bytes for one in found))
    pairs = [
        (by_kind[size, ALONE], by_kind[size, name]) for size in sizes for name in pattern.congestors
    ]
    compared = (_slow_down(run, step, pattern, *pair) for pair in pairs)
    return [one for one in compared if one]


def _slow_down(
    run: RunFolder,
    step: int,
    pattern: Interference,
    alone: Sequence[VictimTrial],
    beside: Sequence[VictimTrial],
) -> SlowDown | None:
    """The slow-down by one congestor; None if it or the victim alone was not measured."""
    before, after = _by_unit([*alone, *beside], alone), _by_unit([*alone, *beside], beside)
    units = sorted(before.keys() & after.keys())
    if not units:
        return None
    victims, congestors = roles(run.meta, step)
    ratios = [_ratio(_middle, before[unit], after[unit]) for unit in units]
    return SlowDown(
        step=step,
        victim=pattern.victim,
        congestor=beside[0].congestor,
        size_bytes=beside[0].size_bytes,
        victim_nodes=len(victims),
        congestor_nodes=len(congestors),
        units=len(units),
        repeats=sum(len(after[unit]) for unit in units),
        alone_us=_interval(_middle(before[unit]) for unit in units),
        beside_us=_interval(_middle(after[unit]) for unit in units),
        slow_down=_interval(ratios),
        mean=_interval(_ratio(_mean, before[unit], after[unit]) for unit in units),
        p99=_interval(_ratio(_p99, before[unit], after[unit]) for unit in units),
        by_unit=tuple(ratios),
        congestor_mbps=_middle(np.array([one.congestor_mbps for one in beside])),
        covered=min(one.covered for one in beside),
        shared=shared_limits(run.meta, step, beside[0].phase),
    )


def _by_unit(both: Sequence[VictimTrial], of: Sequence[VictimTrial]) -> ByUnit:
    has_launches = len({one.launch for one in both}) > 1
    found: dict[int, list[Floats]] = defaultdict(list)
    for one in of:
        found[one.launch if has_launches else one.round].append(one.times_us)
    return {unit: np.concatenate(times) for unit, times in found.items()}


def _ratio(of: Callable[[Floats], float], before: Floats, after: Floats) -> float:
    base = of(before)
    return of(after) / base if base else math.inf


def _interval(values: Iterable[float]) -> Interval:
    return median_interval(list(values), upper=True)


def _middle(times: Floats) -> float:
    return float(np.sort(times)[middle_rank(len(times), upper=True)])


def _mean(times: Floats) -> float:
    return float(np.mean(times))


def _p99(times: Floats) -> float:
    """The 99th percentile by nearest rank; the longest of fewer than 100 times."""
    return float(np.sort(times)[math.ceil(0.99 * len(times)) - 1])
