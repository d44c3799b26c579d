"""Hockney's model fitted to what a run measured between two nodes."""

from __future__ import annotations

import numpy as np

from weft.diagnose.curve import Curve, curves, pingpong
from weft.errors import RequestError
from weft.model.estimate import Estimate, Fitted, residuals
from weft.model.hockney import Hockney, fit_times
from weft.run.folder import Run
from weft.statistics import coverage, median_interval


def fit(run: Run) -> Hockney:
    """Fit the run's ping-pong curve; raises RequestError when it has none."""
    curve = _curve(run)
    return fit_times(curve.sizes, curve.middle_us)


def fit_with_intervals(run: Run) -> Fitted:
    """The same with residuals, and intervals over fits to each launch; one launch gives none."""
    curve = _curve(run)
    middle = fit_times(curve.sizes, curve.middle_us)
    launches = [_fit_launch(curve, index) for index in range(len(curve.launches))]
    estimates = [
        _estimate(name, getattr(middle, name), [getattr(each, name) for each in launches])
        for name in ("latency_us", "peak_mbps")
    ]
    sizes = curve.sizes.astype(np.float64)
    rows = residuals(sizes, "us", curve.middle_us, middle.predict(sizes))
    return Fitted("hockney", middle, estimates, coverage(len(launches)), "size_bytes", rows)


def _fit_launch(curve: Curve, launch: int) -> Hockney:
    known = ~np.isnan(curve.times_us[:, launch])
    return fit_times(curve.sizes[known], curve.times_us[known, launch])


def _estimate(name: str, value: float, by_launch: list[float]) -> Estimate:
    if len(by_launch) == 1:
        return Estimate(name, value, None, None)
    interval = median_interval(by_launch)
    return Estimate(name, value, interval.low, interval.high)


def _curve(run: Run) -> Curve:
    curve = pingpong(curves(run))
    if curve is None or len(curve.sizes) < 2:
        raise RequestError(
            f"{run.directory}: no ping-pong over at least two sizes to fit Hockney's model to",
            "run the plan `signature`",
        )
    return curve
