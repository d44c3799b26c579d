"""Hockney's model of a message: a start-up time and an asymptotic rate.

T(n) = t0 + n / r. Source: R. W. Hockney, "The communication challenge for MPP: Intel Paragon and
Meiko CS-2", Parallel Computing 20 (1994) 389-398.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from weft.base.statistics import Floats

SATURATION_RATIO = 5.0
"""A message is saturated if it takes this many times the latency: then 4/5 of its time is proportional to its size, and
the slope of log T over log n in the affine model, 1 - t0/T, is 0.8."""

KNEE_RATIO = (1 + math.sqrt(5)) / 2
"""At the knee a message takes this many times the latency, where log T over log n in the affine model, with slope s = 1
- t0/T, has its maximum curvature: s (1 - s) / (1 + s^2)^(3/2) is largest at s = (3 - sqrt 5) / 2."""

_FIT_TOLERANCE = 0.05
"""Larger relative errors count linearly instead of squared, so that a dip does not distort the fit."""


@dataclass(frozen=True)
class Hockney:
    """A fitted model: `latency_us` is t0, `peak_mbps` the rate that long messages approach."""

    latency_us: float
    peak_mbps: float

    def predict(self, size_bytes: npt.ArrayLike) -> Floats:
        """One-way times in microseconds of messages of these sizes."""
        return self.latency_us + np.asarray(size_bytes, dtype=np.float64) * 8.0 / self.peak_mbps

    @property
    def n_half(self) -> float:
        """Hockney's n1/2 = t0 r: the size in bytes at which half of `peak_mbps` is reached, and which t0 would
        carry."""
        return self.latency_us * self.peak_mbps / 8.0

    @property
    def saturation_bytes(self) -> float:
        """Size from which a message takes at least SATURATION_RATIO times the latency: 4 n1/2."""
        return (SATURATION_RATIO - 1.0) * self.n_half

    @property
    def knee_bytes(self) -> float:
        """Size with maximum curvature of time over size, both logarithmic: 0.618 n1/2."""
        return (KNEE_RATIO - 1.0) * self.n_half


def fit_times(size_bytes: npt.ArrayLike, time_us: npt.ArrayLike) -> Hockney:
    """Robust fit to one-way times by relative errors, so that small and large messages have equal weight."""
    from scipy.optimize import least_squares  # imported here, as it would slow down every command

    sizes = np.asarray(size_bytes, dtype=np.float64)
    times = np.asarray(time_us, dtype=np.float64)
    start = np.log([times.min(), times[-1] / sizes[-1]])

    def relative_errors(logs: Floats) -> Floats:
        start_up, per_byte = np.exp(logs)
        errors: Floats = np.log((start_up + per_byte * sizes) / times)
        return errors

    found = least_squares(relative_errors, start, loss="soft_l1", f_scale=_FIT_TOLERANCE)
    start_up, per_byte = np.exp(found.x)
    return Hockney(float(start_up), float(8.0 / per_byte))
