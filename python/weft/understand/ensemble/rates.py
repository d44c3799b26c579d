"""The rates of a run's transfers: one for each step, phase, route and size, with its interval."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
import numpy.typing as npt

from weft.base.statistics import Floats, median_interval
from weft.plan.pattern import Dependent, MultiPair
from weft.runs.folder import RunFolder
from weft.runs.windows import are_measured
from weft.understand.curve.curve import (
    Ints,
    column,
    group_slices,
    group_starts,
    joint_code,
    message_times_us,
    reduce_sorted,
    reduction_of,
    to_mbps,
)

_KEYS = ["step", "phase", "src", "dst", "size_bytes", "launch"]


@dataclass(frozen=True)
class MedianRates:
    """Medians over launches with their intervals, by step, phase, source, destination and size.

    All columns have the same length. `time_us` is the one-way time of a message at the median rate. `by_launch_mbps`
    (rows x launches) is NaN where a launch did not measure the transfer.
    """

    step: Ints
    phase: Ints
    src: Ints
    dst: Ints
    size: Ints
    mbps: Floats
    low_mbps: Floats
    high_mbps: Floats
    time_us: Floats
    by_launch_mbps: Floats

    @classmethod
    def of(cls, run: RunFolder) -> MedianRates:
        """The rates of all measured transfers of a run; O(n log n) in the number of rows."""
        keys, launch, time_us = _per_launch(run)
        if launch.max(initial=0) == 0:
            # A simulated run has one launch and possibly millions of transfers, so nothing is copied.
            step, phase, src, dst, size = keys
            mbps = to_mbps(size, time_us)
            ends = (mbps, mbps, mbps, time_us)
            return cls(step, phase, src, dst, size, *ends, mbps[:, np.newaxis])
        starts = group_starts(*keys)
        counts = np.diff(np.append(starts, len(time_us)))
        order = np.lexsort((-time_us, np.repeat(np.arange(len(starts)), counts)))
        slowest_first = time_us[order]
        median, low, high = _interval_rows(starts, counts)
        step, phase, src, dst, size = (key[starts] for key in keys)
        return cls(
            *(step, phase, src, dst, size),
            mbps=to_mbps(size, slowest_first[median]),
            low_mbps=to_mbps(size, slowest_first[low]),
            high_mbps=to_mbps(size, slowest_first[high]),
            time_us=slowest_first[median],
            by_launch_mbps=_by_launch(to_mbps(np.repeat(size, counts), time_us), counts, launch),
        )

    def __len__(self) -> int:
        return len(self.step)

    def where(self, kept: npt.NDArray[np.bool_] | Ints | slice) -> MedianRates:
        """The rates of the given rows."""
        return MedianRates(*(getattr(self, each.name)[kept] for each in fields(self)))

    def by_phase(self) -> list[slice]:
        """The rows of each step and phase, in order."""
        return group_slices(self.step, self.phase)


def _per_launch(run: RunFolder) -> tuple[list[Ints], Ints, Floats]:
    """The columns step, phase, source, destination and size; the launch; and the launch's time in µs.

    Excludes several pairs at once, which `multi_pair` covers; messages of programs, because they wait for each other;
    and rows that measured no rate.
    """
    apart = {at for kind in (MultiPair, Dependent) for at, *_ in run.meta.plan.steps_of(kind)}
    kept = ~np.isin(column(run.samples, "step"), [*apart])
    kept &= are_measured(run.meta.plan.steps, run.samples)
    samples, time_us = run.samples, message_times_us(run)
    if not kept.all():
        samples, time_us = samples.filter(kept), time_us[kept]
    order = np.lexsort((time_us, joint_code(samples, _KEYS)))
    keys = [column(samples, name)[order] for name in _KEYS]
    starts = group_starts(*keys)
    if len(starts) == 0:
        return keys[:-1], keys[-1], time_us
    reduced_us = reduce_sorted(time_us[order], starts, reduction_of(run))
    return [key[starts] for key in keys[:-1]], keys[-1][starts], reduced_us


def _by_launch(mbps: Floats, counts: Ints, launch: Ints) -> Floats:
    """The rates as a table (groups x launches), NaN where a launch has none."""
    table = np.full((len(counts), int(launch.max(initial=-1)) + 1), np.nan)
    table[np.repeat(np.arange(len(counts)), counts), launch] = mbps
    return table


def _interval_rows(starts: Ints, counts: Ints) -> tuple[Ints, Ints, Ints]:
    """The positions of the median, low end and high end of each group of sorted values."""
    # The interval consists of order statistics, so the interval of the ranks gives their positions.
    kinds, kind_of = np.unique(counts, return_inverse=True)
    ranks = [median_interval(np.arange(count)) for count in kinds]
    offsets = np.array([[one.median, one.low, one.high] for one in ranks], dtype=np.int64)
    median, low, high = starts + offsets.reshape(-1, 3)[kind_of].T
    return median, low, high
