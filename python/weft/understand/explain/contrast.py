"""What to explain in a step: modes, dips, jumps and outliers, each as slow stretches in contrast to fast ones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from weft.base.quantity import exact_bytes
from weft.base.statistics import MAD_TO_SD, Floats
from weft.understand.curve.curve import Ints
from weft.understand.curve.points import CurvePoint
from weft.understand.curve.thresholds import Threshold
from weft.understand.explain.permutation import centred
from weft.understand.explain.stretches import Stretches

Mask = npt.NDArray[np.bool_]

LEAST_SLOW = 2
"""The fewest slow stretches, and the fewest fast ones; a single stretch proves nothing."""
MOST_APART = 1.05
"""Counters grow with the size, but not noticeably between sizes within this ratio."""
OUTLIER_RATIO, OUTLIER_DEVIATIONS = 1.25, 6.0
"""An outlier exceeds the median of its size by this factor, and by as many robust standard deviations."""
MOST_OUTLIERS = 0.2
"""A larger share of the stretches are no outliers."""


@dataclass(frozen=True)
class StretchContrast:
    """Slow stretches in contrast to fast ones. `used` marks the stretches that take part, `slow` those of them that are
    slow.

    `unit` numbers the units that are permuted (stretches of one unit have the same number), `stratum` the groups within
    which they are. Units in a stratum are consecutive in time, unless they are whole, independent launches (not
    `is_course`).
    `slowdown` is the time of a slow message over that of a fast one.
    """

    kind: str
    sizes_bytes: tuple[int, ...]
    text: str
    used: Mask
    slow: Mask
    unit: Ints
    stratum: Ints
    slowdown: float
    is_course: bool = field(default=True, kw_only=True)
    slow_ones = "slow ones"

    def beside(self, rows: Floats) -> Floats:
        """The expected values of stretches if they were fast, for each row of `rows` (counters x stretches used)."""
        means: Floats = rows[:, ~self.slow].mean(axis=1, keepdims=True)
        return np.broadcast_to(means, rows.shape)

    def shuffled(self, values: Floats) -> tuple[Floats, Ints, Ints, Ints]:
        """By unit: the mean deviation of each row of `values` from its expectation, whether the unit is slow, its
        stratum, and its course in time."""
        units, first, at = np.unique(self.unit, return_index=True, return_inverse=True)
        count = np.bincount(at, minlength=len(units))
        rows = values[:, self.used]
        means = [np.bincount(at, row, len(units)) / count for row in self._off(rows)]
        stratum = self.stratum[first]
        course = stratum if self.is_course else np.arange(len(units))
        return np.array(means), self.slow[first].astype(np.int64), stratum, course

    @property
    def is_harmless(self) -> bool:
        """Whether the slow stretches affect no median, and so neither the curve nor its modes."""
        return False

    def _off(self, rows: Floats) -> Floats:
        off: Floats = rows - self.beside(rows)
        return off


@dataclass(frozen=True)
class Outliers(StretchContrast):
    """Outliers of several sizes: counters are standardised by their mean and spread at each size."""

    phase: Ints

    @property
    def is_harmless(self) -> bool:
        """Whether at every size, outliers are less than half of the stretches, in the median over launches."""
        return all(self._slow_share(phase) < 0.5 for phase in np.unique(self.phase))

    def _slow_share(self, phase: int) -> float:
        """The share of outliers at a size, the median over launches."""
        slow, launch = self.slow[self.phase == phase], self.stratum[self.phase == phase]
        return float(np.median([slow[launch == one].mean() for one in np.unique(launch)]))

    def _off(self, rows: Floats) -> Floats:
        off = centred(rows, self.phase)
        places, at = np.unique(self.phase, return_inverse=True)
        count = np.bincount(at)
        spread = np.sqrt([np.bincount(at, row**2, len(places)) / count for row in off])
        spread[spread == 0] = np.inf
        return off / spread[:, at]


def contrasts(
    points: list[CurvePoint], thresholds: Sequence[Threshold], stretches: Stretches
) -> Iterator[StretchContrast]:
    """The contrasts to explain in a step, by kind and size."""
    for index, point in enumerate(points):
        if point.modes.count > 1:
            yield from _modes(point, stretches)
        if point.dip:
            yield from _dip(points[index - 1 : index + 2], stretches)
    for threshold in thresholds:
        yield from _jump(threshold, points, stretches)
    yield from _outliers([one for one in points if one.modes.count == 1], stretches)


def _modes(point: CurvePoint, stretches: Stretches) -> Iterator[StretchContrast]:
    used = stretches.phase == point.phase
    times, launch = stretches.time_us[used], stretches.launch[used]
    centres = np.log(point.modes.locations)
    slow = np.searchsorted((centres[1:] + centres[:-1]) / 2, np.log(times)) > 0
    if min(slow.sum(), (~slow).sum()) < LEAST_SLOW:
        return
    of_launch = [slow[launch == one] for one in np.unique(launch)]
    is_mixed = any(one.any() and not one.all() for one in of_launch)
    yield StretchContrast(
        "modes",
        (point.size_bytes,),
        f"{exact_bytes(point.size_bytes)}: {point.modes.count} modes, {100 * slow.mean():.0f} % slow",
        used,
        slow,
        unit=np.arange(len(times)) if is_mixed else launch,
        stratum=launch if is_mixed else np.zeros(len(times), dtype=np.int64),
        slowdown=_ratio(times, slow),
        is_course=is_mixed,
    )


def _dip(around: list[CurvePoint], stretches: Stretches) -> Iterator[StretchContrast]:
    before, here, after = around
    assert here.expected_mbps is not None
    used = np.isin(stretches.phase, [one.phase for one in around])
    phase, launch = stretches.phase[used], stretches.launch[used]
    slow = phase == here.phase
    if not slow.any() or slow.all():
        return
    slowdown = here.expected_mbps.median / here.throughput_mbps.median
    yield StretchContrast(
        "dip",
        (here.size_bytes,),
        f"{exact_bytes(here.size_bytes)}: {100 * (slowdown - 1):.0f} % slower than between its neighbours "
        f"{exact_bytes(before.size_bytes)} and {exact_bytes(after.size_bytes)}",
        used,
        slow,
        unit=launch * (int(phase.max()) + 1) + phase,
        stratum=launch,
        slowdown=slowdown,
    )


def _jump(
    threshold: Threshold, points: list[CurvePoint], stretches: Stretches
) -> Iterator[StretchContrast]:
    """The two sizes around a jump, if they are so close that nothing else changes between them."""
    found = threshold.found
    around = [one for one in points if one.size_bytes in (found.last_before, found.first_after)]
    is_near = found.first_after <= MOST_APART * found.last_before
    if (
        found.kind != "jump" or not is_near or len(around) < 2
    ):  # a pinned jump's sizes are no points
        return
    used = np.isin(stretches.phase, [one.phase for one in around])
    slower = around[-1] if found.height.median > 0 else around[0]
    slow = stretches.phase[used] == slower.phase
    if min(slow.sum(), (~slow).sum()) < LEAST_SLOW:
        return
    yield StretchContrast(
        "threshold",
        tuple(one.size_bytes for one in around),
        threshold.text,
        used,
        slow,
        unit=np.arange(len(slow)),
        stratum=stretches.launch[used],
        slowdown=max(1 + found.height.median, 1 / (1 + found.height.median)),
    )


def _outliers(points: list[CurvePoint], stretches: Stretches) -> Iterator[StretchContrast]:
    """The outliers of all sizes together, because any one size has few."""
    used = np.isin(stretches.phase, [one.phase for one in points])
    phase, times = stretches.phase[used], stretches.time_us[used]
    relative = times.copy()
    for one in np.unique(phase):
        relative[phase == one] /= np.median(times[phase == one])
    off = np.log(relative)
    spread = MAD_TO_SD * np.median(np.abs(off)) if len(off) else 0.0
    slow = off > max(np.log(OUTLIER_RATIO), OUTLIER_DEVIATIONS * spread)
    if slow.sum() < LEAST_SLOW or slow.mean() > MOST_OUTLIERS:
        return
    where = {int(one) for one in phase[slow]}
    sizes = tuple(one.size_bytes for one in points if one.phase in where)
    at = exact_bytes(sizes[0]) + (f" to {exact_bytes(sizes[-1])}" if len(sizes) > 1 else "")
    yield Outliers(
        "outliers",
        sizes,
        f"{at}: {slow.sum()} of {len(slow)} stretches are outliers, {np.median(relative[slow]):.1f} times as slow",
        used,
        slow,
        unit=np.arange(len(times)),
        stratum=stretches.launch[used],
        slowdown=_ratio(relative, slow),
        phase=phase,
    )


def _ratio(times: Floats, slow: Mask) -> float:
    return float(np.median(times[slow]) / np.median(times[~slow]))
