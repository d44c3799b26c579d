"""What each route and each phase of a run carried."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from weft.diagnose.curve import (
    Ints,
    column,
    group_starts,
    joint_code,
    message_times_us,
    reduce_sorted,
    reduction_of,
    to_mbps,
)
from weft.interval import Interval
from weft.run.folder import Run
from weft.statistics import Floats, median_interval


@dataclass(frozen=True)
class Phase:
    """One phase of a step: its slowest route and how long it took, both medians over launches."""

    step: int
    pattern: str
    phase: int
    size_bytes: int
    rate_mbps: float
    elapsed_ms: float

    def to_json(self) -> dict[str, Any]:
        return vars(self)


@dataclass(frozen=True)
class Route:
    """One direction between two nodes, at the size at which it was fastest."""

    src: str
    dst: str
    size_bytes: int
    rate_mbps: Interval

    def to_json(self) -> dict[str, Any]:
        return {**vars(self), "rate_mbps": self.rate_mbps.to_json()}


@dataclass(frozen=True)
class _Rates:
    """One rate for each step, phase, route, size and launch, sorted in that order."""

    step: Ints
    phase: Ints
    src: Ints
    dst: Ints
    size: Ints
    launch: Ints
    mbps: Floats


def phases(run: Run) -> list[Phase]:
    """The phases of a run in order."""
    if run.samples.num_rows == 0:
        return []
    rates = _rates(run)
    spans = _spans_ms(run)
    found = []
    for rows in _groups(rates.step, rates.phase):
        step, phase = int(rates.step[rows.start]), int(rates.phase[rows.start])
        slowest = min(
            _middle(rates.mbps[rows][part])
            for part in _groups(rates.src[rows], rates.dst[rows], rates.size[rows])
        )
        found.append(
            Phase(
                step=step,
                pattern=run.meta.plan["steps"][step]["pattern"]["kind"],
                phase=phase,
                size_bytes=int(rates.size[rows].max()),
                rate_mbps=slowest,
                elapsed_ms=spans[step, phase],
            )
        )
    return found


def routes(run: Run) -> list[Route]:
    """The routes that carried anything, by source and destination."""
    if run.samples.num_rows == 0:
        return []
    rates = _rates(run)
    best: dict[tuple[int, int], Route] = {}
    for rows in _groups(rates.step, rates.phase, rates.src, rates.dst, rates.size):
        ends = int(rates.src[rows.start]), int(rates.dst[rows.start])
        rate = median_interval(rates.mbps[rows])
        if ends not in best or rate.median > best[ends].rate_mbps.median:
            src, dst = (str(run.meta.nodes[end]["name"]) for end in ends)
            best[ends] = Route(src, dst, int(rates.size[rows.start]), rate)
    return [best[ends] for ends in sorted(best)]


_KEYS = ["step", "phase", "src", "dst", "size_bytes", "launch"]


def _rates(run: Run) -> _Rates:
    samples = run.samples
    time_us = message_times_us(run)
    order = np.lexsort((time_us, joint_code(samples, _KEYS)))
    keys = [column(samples, name)[order] for name in _KEYS]
    starts = group_starts(*keys)
    reduced_us = reduce_sorted(time_us[order], starts, reduction_of(run))
    step, phase, src, dst, size, launch = (key[starts] for key in keys)
    return _Rates(step, phase, src, dst, size, launch, to_mbps(size, reduced_us))


def _spans_ms(run: Run) -> dict[tuple[int, int], float]:
    """From the first start to the last end of each step and phase: the median over launches."""
    samples = run.samples
    names = ["step", "phase", "launch"]
    order = np.argsort(joint_code(samples, names), kind="stable")
    step, phase, launch = (column(samples, name)[order] for name in names)
    begin = column(samples, "start_ns")[order]
    end = begin + column(samples, "elapsed_ns")[order]
    starts = group_starts(step, phase, launch)
    spans_ms = (np.maximum.reduceat(end, starts) - np.minimum.reduceat(begin, starts)) / 1e6
    step, phase = step[starts], phase[starts]
    return {
        (int(step[rows.start]), int(phase[rows.start])): _middle(spans_ms[rows])
        for rows in _groups(step, phase)
    }


def _groups(*keys: Ints) -> list[slice]:
    """Slices of equal keys, in rows sorted by them."""
    starts = group_starts(*keys)
    ends = np.append(starts[1:], len(keys[0]))
    return [slice(int(start), int(end)) for start, end in zip(starts, ends, strict=True)]


def _middle(values: Floats) -> float:
    return median_interval(values).median
