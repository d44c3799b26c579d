"""Whether times changed while a run measured: then its launches are no repetitions of one thing."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from weft.base.statistics import Floats

ALPHA = 0.01
"""So seldom is drift claimed where there is none."""
MIN_LAUNCHES = 6
"""The least in which a trend can be that improbable."""


@dataclass(frozen=True)
class Drift:
    """The change of times from the first third of the launches to the last, as a share; how improbable such a trend is
    without one."""

    change: float
    p_value: float


def drift(times_us: Floats) -> Drift | None:
    """The drift of times (sizes x launches, NaN where a launch did not measure a size), if there is one.

    Each size counts relative to its own median, a launch as the median of its sizes. Kendall's rank correlation with
    the order of the launches decides (M. G. Kendall, "A new measure of rank correlation", Biometrika 30, 1938).
    """
    from scipy.stats import kendalltau  # here, because every command would wait for it

    launches = times_us.shape[1]
    if launches < MIN_LAUNCHES:
        return None
    logs = np.log(times_us)
    levels = np.nanmedian(logs - np.nanmedian(logs, axis=1, keepdims=True), axis=0)
    p_value = float(kendalltau(np.arange(launches), levels).pvalue)
    third = launches // 3
    change = float(np.exp(np.median(levels[-third:]) - np.median(levels[:third])) - 1)
    return Drift(change, p_value) if p_value < ALPHA else None
