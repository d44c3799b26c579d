"""Hockney's model fitted to what a run measured between two nodes."""

from __future__ import annotations

import numpy as np

from weft.diagnosis.curve import Curve, curves, pingpong
from weft.diagnosis.decision import coverage_over_launches, interval_over_launches
from weft.errors import RequestError
from weft.model.estimate import Estimate, Fitted, residuals
from weft.model.hockney import Hockney, fit_times
from weft.runs.folder import Run
from weft.statistics import has_interval


def fit(run: Run) -> Fitted:
    """Fit the run's ping-pong curve: the medians over fits to each launch, with their intervals.

    One or two launches give no intervals. Raises RequestError when there is no such curve.
    """
    curve = _curve(run)
    launches = [fit_times(curve.sizes, times_us) for times_us in curve.times_us.T]
    latency = interval_over_launches(curve, [each.latency_us for each in launches], upper=True)
    peak = interval_over_launches(curve, [each.peak_mbps for each in launches])
    known = has_interval(len(launches))
    estimates = [
        Estimate(name, each.median, each.low if known else None, each.high if known else None)
        for name, each in (("latency_us", latency), ("peak_mbps", peak))
    ]
    model = Hockney(latency.median, peak.median)
    sizes = curve.sizes.astype(np.float64)
    rows = residuals(sizes, "us", curve.middle_us, model.predict(sizes))
    covered = coverage_over_launches(curve, len(launches))
    return Fitted("hockney", model, estimates, covered, "size_bytes", rows)


def _curve(run: Run) -> Curve:
    curve = pingpong(curves(run))
    if curve is None or len((whole := curve.whole()).sizes) < 2:
        raise RequestError(
            f"{run.directory}: no ping-pong over at least two sizes to fit Hockney's model to",
            "run the plan `signature`",
        )
    return whole
