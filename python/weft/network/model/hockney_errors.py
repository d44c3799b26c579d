"""The uncertainty of Hockney's parameters due to deviations from the model that all launches share."""

from __future__ import annotations

import math

import numpy as np

from weft.base.interval import Interval
from weft.base.statistics import LEVEL, MAD_TO_SD, Floats
from weft.network.model.hockney import Hockney
from weft.network.model.noisy_curve import MEDIAN_COST, NoisyCurve

_PARAMETERS = 2


def widened(
    model: Hockney, curve: NoisyCurve, latency: Interval, peak: Interval
) -> tuple[Interval, Interval]:
    """Intervals of latency and peak over launches, widened for deviations that launches have in common.

    Fits to launches that share a deviation at some size agree better with each other than with the truth. Both errors
    are independent, so their squares add up. Two sizes give no information, as the model passes through them.
    """
    of_latency, of_peak = _reach(model, curve).tolist()
    return _wider(latency, of_latency), _wider(peak, of_peak)


def _reach(model: Hockney, curve: NoisyCurve) -> Floats:
    """For both parameters, the error of the logarithm due to deviations common to all launches."""
    from scipy.special import stdtrit  # imported here, as it would slow down every command

    freedom = len(curve.sizes) - _PARAMETERS
    if freedom < 1:
        return np.zeros(_PARAMETERS)
    times_us = model.predict(curve.sizes)
    start_up = model.latency_us / times_us
    slopes = np.stack([start_up, 1 - start_up])
    # The fit nearly minimises absolute deviations, so its errors are larger, as a median's are than a mean's.
    per_size = MEDIAN_COST * _common_deviation(np.log(curve.levels_us / times_us), curve)
    covariance = np.linalg.pinv(slopes @ slopes.T)
    reach: Floats = stdtrit(freedom, (1 + LEVEL) / 2) * per_size * np.sqrt(np.diag(covariance))
    return reach


def _common_deviation(residuals: Floats, curve: NoisyCurve) -> float:
    """The standard deviation of levels from the model, without what launches explain; robust against a few dips.

    The fit makes about as many residuals zero as it has parameters.
    """
    off = np.sort(np.abs(residuals))[_PARAMETERS:]
    squared = (MAD_TO_SD * float(np.median(off))) ** 2 - float(np.median(curve.launch_errors**2))
    return math.sqrt(max(squared, 0.0))


def _wider(found: Interval, reach: float) -> Interval:
    """Extend both ends of an interval in logarithms: squares of distances add up."""
    down = math.log(found.median / found.low)
    up = math.log(found.high / found.median)
    return Interval(
        found.median,
        found.median * math.exp(-math.hypot(down, reach)),
        found.median * math.exp(math.hypot(up, reach)),
    )
