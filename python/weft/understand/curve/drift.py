"""Whether times drifted during a run; if so, its launches are not independent repetitions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from weft.base.statistics import Floats

ALPHA = 0.01
"""The significance level: the probability of reporting drift if there is none."""
MIN_LAUNCHES = 6
"""The fewest launches in which a trend can be significant at ALPHA."""


@dataclass(frozen=True)
class Drift:
    """The relative change of times from the first third of the launches to the last, and the p-value of the trend."""

    change: float
    p_value: float


def drift(times_us: Floats) -> Drift | None:
    """The drift of times (sizes x launches, NaN where a launch did not measure a size); None if none is significant.

    Each size is taken relative to its own median, and a launch as the median over its sizes. The test is Kendall's rank
    correlation with the order of launches (M. G. Kendall, "A new measure of rank correlation", Biometrika 30, 1938).
    """
    # Imported here to keep start-up fast.
    from scipy.stats import kendalltau

    launches = times_us.shape[1]
    if launches < MIN_LAUNCHES:
        return None
    logs = np.log(times_us)
    levels = np.nanmedian(logs - np.nanmedian(logs, axis=1, keepdims=True), axis=0)
    p_value = float(kendalltau(np.arange(launches), levels).pvalue)
    third = launches // 3
    change = float(np.exp(np.median(levels[-third:]) - np.median(levels[:third])) - 1)
    return Drift(change, p_value) if p_value < ALPHA else None
