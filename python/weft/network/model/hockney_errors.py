"""How well sizes tell Hockney's parameters where they are off the model in all launches alike."""

from __future__ import annotations

import math

import numpy as np

from weft.base.interval import Interval
from weft.base.statistics import LEVEL, Floats
from weft.network.model.hockney import Hockney
from weft.network.model.noisy_curve import MAD, MEDIAN_COST, NoisyCurve

_PARAMETERS = 2


def widened(
    model: Hockney, curve: NoisyCurve, latency: Interval, peak: Interval
) -> tuple[Interval, Interval]:
    """Intervals over launches, of the latency and the peak, made wide enough for what launches have in common.

    Fits to launches that share a size's deviation agree better than any of them is right. Both errors are independent:
    their squares add up. Two sizes tell nothing, since the model passes through them.
    """
    of_latency, of_peak = _reach(model, curve).tolist()
    return _wider(latency, of_latency), _wider(peak, of_peak)


def _reach(model: Hockney, curve: NoisyCurve) -> Floats:
    """Of both parameters, how far their logarithms may be off for what is common to all launches."""
    from scipy.special import stdtrit  # here, because every command would wait for it

    freedom = len(curve.sizes) - _PARAMETERS
    if freedom < 1:
        return np.zeros(_PARAMETERS)
    times_us = model.predict(curve.sizes)
    start_up = model.latency_us / times_us
    slopes = np.stack([start_up, 1 - start_up])
    # The fit is nearly one to absolute deviations, which costs as much as a median does beside a mean.
    per_size = MEDIAN_COST * _common_deviation(np.log(curve.levels_us / times_us), curve)
    covariance = np.linalg.pinv(slopes @ slopes.T)
    reach: Floats = stdtrit(freedom, (1 + LEVEL) / 2) * per_size * np.sqrt(np.diag(covariance))
    return reach


def _common_deviation(residuals: Floats, curve: NoisyCurve) -> float:
    """The standard deviation of levels from the model, less what launches explain; a few dips do not count.

    The fit makes about as many residuals vanish as it has parameters.
    """
    off = np.sort(np.abs(residuals))[_PARAMETERS:]
    squared = (MAD * float(np.median(off))) ** 2 - float(np.median(curve.launch_errors**2))
    return math.sqrt(max(squared, 0.0))


def _wider(found: Interval, reach: float) -> Interval:
    """With ends further out, in logarithms: squares of distances add up."""
    down = math.log(found.median / found.low)
    up = math.log(found.high / found.median)
    return Interval(
        found.median,
        found.median * math.exp(-math.hypot(down, reach)),
        found.median * math.exp(math.hypot(up, reach)),
    )
