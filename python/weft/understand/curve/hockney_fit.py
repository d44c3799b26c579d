"""Hockney's model fitted to a run between two nodes."""

from __future__ import annotations

import numpy as np

from weft.base.errors import RequestError
from weft.base.statistics import has_interval
from weft.network.model.estimate import Estimate, FittedModel, residuals
from weft.network.model.hockney import Hockney, fit_times
from weft.network.model.hockney_errors import widened
from weft.network.model.misfit import Misfit, MisfitSpan, stretches
from weft.network.model.noisy_curve import NoisyCurve
from weft.runs.folder import RunFolder
from weft.understand.curve.curve import Curve, curves, pingpong
from weft.understand.curve.goal import coverage_over_launches, interval_over_launches
from weft.understand.curve.thresholds import Threshold, curve_thresholds

NEAR = 2.0
"""A threshold within this factor of the sizes where the model is off may explain the misfit."""
MOST_NAMED = 2


def fit(run: RunFolder) -> FittedModel:
    """Fit the run's ping-pong curve: medians over the fits of single launches. Their intervals also cover the
    deviations from the model that all launches share.

    There are no intervals with one or two launches, or if the model does not fit (see `misfits`). Raises RequestError
    if the run has no ping-pong curve of two sizes or more.
    """
    curve = _curve(run)
    launches = [fit_times(curve.sizes, times_us) for times_us in curve.times_us.T]
    latency = interval_over_launches(curve, [each.latency_us for each in launches], upper=True)
    peak = interval_over_launches(curve, [each.peak_mbps for each in launches])
    model = Hockney(latency.median, peak.median)
    noisy = NoisyCurve.of(curve.sizes, curve.times_us)
    misfits = _misfits(run, curve, noisy, model)
    latency, peak = widened(model, noisy, latency, peak)
    known = has_interval(len(launches)) and not misfits
    estimates = [
        Estimate(name, each.median, each.low if known else None, each.high if known else None)
        for name, each in (("latency_us", latency), ("peak_mbps", peak))
    ]
    sizes = curve.sizes.astype(np.float64)
    rows = residuals(sizes, "us", curve.middle_us, model.predict(sizes))
    covered = coverage_over_launches(curve, len(launches))
    return FittedModel("hockney", model, estimates, covered, "size_bytes", rows, misfits)


def _misfits(run: RunFolder, curve: Curve, noisy: NoisyCurve, model: Hockney) -> list[Misfit]:
    """The size ranges where the model is off, with the likely reason."""
    found = stretches(noisy, model.predict(noisy.sizes))
    known = curve_thresholds(run, curve) if found else []
    return [_misfit(one, curve, known) for one in found]


def _misfit(one: MisfitSpan, curve: Curve, known: list[Threshold]) -> Misfit:
    first, last = int(curve.sizes[one.first]), int(curve.sizes[one.last])
    near = [
        each.text
        for each in known
        if each.found.first_after >= first / NEAR and each.found.last_before <= last * NEAR
    ]
    reason = "; ".join(near[:MOST_NAMED]) or _usual_reason(one)
    return Misfit(first, last, 100 * one.worst_error, reason)


def _usual_reason(one: MisfitSpan) -> str:
    """The usual cause of a misfit without a threshold nearby."""
    if one.is_at_end and one.worst_error < 0:
        return "long messages are slower: a window, a buffer or a cache that they no longer fit"
    if one.is_at_end:
        return "long messages are still gaining: their parts overlap more and more"
    if one.is_at_start:
        return "short messages have a start-up time of their own"
    return "short and long messages have rates of their own: the curve has a knee"


def _curve(run: RunFolder) -> Curve:
    curve = pingpong(curves(run))
    if curve is None or len((whole := curve.whole()).sizes) < 2:
        raise RequestError(
            f"{run.directory}: no ping-pong over at least two sizes to fit Hockney's model to",
            "run the plan `signature`",
        )
    return whole
