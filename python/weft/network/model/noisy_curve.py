"""Times over sizes and launches, reduced to one level for each size with its uncertainty."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from weft.base.interval import Interval
from weft.base.statistics import MAD_TO_SD, Floats, has_interval, median_interval

LEAST_ERROR = 0.002
"""Minimum relative error: clocks are not better, and no curve is exactly straight."""
PRIOR_LAUNCHES = 10
"""Weight, in launches of a size, of the usual deviation between launches: a few launches that agree by chance prove
nothing."""
MEDIAN_COST = 1.2533
"""Standard error of a median over that of a mean, for normal values."""
_ROUNDS = 4


@dataclass(frozen=True)
class NoisyCurve:
    """Levels are medians over launches, after removal of the factor that a launch has in common for all sizes.

    `levels_us`, `errors` (relative standard errors) and `launch_errors` (the part of them due to differences between
    launches) have shape (sizes,); `apart` (the relative deviation of each launch from the levels, NaN if it did not
    measure a size) has shape (sizes, launches). `deviations` are relative standard deviations between launches, by
    size. `roughness` is the typical deviation of a size from the line between its neighbours, as a standard error:
    levels are not known better than that, however well launches agree.
    """

    sizes: Floats
    levels_us: Floats
    errors: Floats
    launch_errors: Floats
    apart: Floats
    deviations: Floats
    roughness: float

    @classmethod
    def of(cls, sizes: npt.ArrayLike, times_us: npt.ArrayLike) -> NoisyCurve:
        """Build a curve from times of shape (sizes, launches); sizes ascend. Sizes without a finite time are left
        out."""
        times = np.array(times_us, dtype=np.float64)
        times[~np.isfinite(times) | (times <= 0)] = np.nan
        kept = ~np.isnan(times).all(axis=1)
        of_size, logs = np.asarray(sizes, dtype=np.float64)[kept], np.log(times[kept])
        levels, apart = _levels(logs[:, ~np.isnan(logs).all(axis=0)])
        deviations = _deviations(apart)
        rough = _roughness(of_size, np.exp(levels))
        launches = np.count_nonzero(~np.isnan(apart), axis=1)
        by_launch = MEDIAN_COST * deviations / np.sqrt(np.maximum(launches, 1))
        errors = np.maximum(by_launch, max(rough, LEAST_ERROR))
        return cls(of_size, np.exp(levels), errors, by_launch, apart, deviations, rough)

    def contrast(self, weights: Floats, value: float) -> LogContrast:
        """A weighted sum of the levels' logarithms, with its value in each launch; `value` is that over all
        launches."""
        used = weights != 0
        launches = value + weights[used] @ self.apart[used]
        launches = launches[~np.isnan(launches)]
        expected = float(np.sqrt(weights**2 @ self.deviations**2))
        floor = float(np.sqrt(weights @ weights)) * max(self.roughness, LEAST_ERROR)
        more = max(len(launches) - 1, 0)
        squares = PRIOR_LAUNCHES * expected**2 + float(np.sum((launches - value) ** 2))
        deviation = float(np.sqrt(squares / (PRIOR_LAUNCHES + more)))
        by_launch = MEDIAN_COST * deviation / float(np.sqrt(max(len(launches), 1)))
        freedom = PRIOR_LAUNCHES + more
        return LogContrast(value, max(by_launch, floor), freedom, launches)


@dataclass(frozen=True)
class LogContrast:
    """A difference of logarithms, its standard error with degrees of freedom, and its value in each launch."""

    value: float
    error: float
    freedom: int
    launches: Floats

    def is_sure(self, alpha: float) -> bool:
        """Whether it differs from 0 at significance level `alpha`, by Student's t test."""
        from scipy.special import stdtrit  # imported here, as it would slow down every command

        needed = float(stdtrit(self.freedom, 1 - alpha / 2))
        return abs(self.value) > needed * self.error and self.interval.low * self.interval.high > 0

    def reversed(self) -> LogContrast:
        """The contrast with opposite sign."""
        return replace(self, value=-self.value, launches=-self.launches)

    @property
    def interval(self) -> Interval:
        """By ranks of the launches; two standard errors to either side with one or two launches."""
        if has_interval(len(self.launches)):
            return median_interval(self.launches)
        reach = 2 * self.error
        return Interval(self.value, self.value - reach, self.value + reach)


def _levels(logs: Floats) -> tuple[Floats, Floats]:
    """The level of each size, and the residuals without levels of sizes and launches (median polish)."""
    effects = np.zeros(logs.shape[1])
    for _ in range(_ROUNDS):
        levels = np.nanmedian(logs - effects, axis=1)
        apart = logs - levels[:, np.newaxis]
        effects = np.nanmedian(apart, axis=0)
        effects -= np.median(effects)
    return levels, apart - effects


def _deviations(apart: Floats) -> Floats:
    """Deviations between launches by size, shrunk towards the usual one; 0 with one launch."""
    more = np.maximum(np.count_nonzero(~np.isnan(apart), axis=1) - 1, 0)
    squares = np.nansum(apart**2, axis=1)
    if not more.any():
        return np.zeros(len(apart))
    usual = float(np.median(squares[more > 0] / more[more > 0]))
    found: Floats = np.sqrt((PRIOR_LAUNCHES * usual + squares) / (PRIOR_LAUNCHES + more))
    return found


def _roughness(sizes: Floats, levels_us: Floats) -> float:
    """The typical distance of a size from the line between its neighbours, as the relative standard error of one
    size."""
    if len(sizes) < 3:
        return 0.0
    share = (sizes[1:-1] - sizes[:-2]) / (sizes[2:] - sizes[:-2])
    between = (1 - share) * levels_us[:-2] + share * levels_us[2:]
    scale = np.sqrt(1 + share**2 + (1 - share) ** 2)
    return MAD_TO_SD * float(np.median(np.abs(np.log(levels_us[1:-1] / between)) / scale))
