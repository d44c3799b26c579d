"""How many batches of a size are worth measuring in one launch."""

from __future__ import annotations

import math

import numpy as np

from weft.base.statistics import Floats
from weft.understand.curve.curve import Ints

MOST_BATCHES = 30
_MEDIAN_VARIANCE = math.pi / 2
"""Variance of the median over that of the mean, for many values from a normal distribution."""


def batches_worth(
    times_us: Floats, launches: Ints, launch_ns: float, batch_ns: float
) -> int | None:
    """The batches per launch that narrow the median's interval soonest, at most MOST_BATCHES; None if there are fewer
    than two launches, or no launch with two batches.

    `times_us` are the batches of a size and `launches` their launches. For this size a launch costs `launch_ns` plus
    `batch_ns` per batch. Correlation between the batches of a launch counts as variance between launches, because
    more batches do not reduce it.

    Source: T. Kalibera and R. Jones, "Rigorous benchmarking in reasonable time", ISMM 2013, section 6.
    """
    groups = [times_us[launches == launch] for launch in np.unique(launches)]
    several = [group for group in groups if len(group) > 1]
    if len(groups) < 2 or not several:
        return None
    within = float(np.mean([np.var(group, ddof=1) for group in several]))
    a_launch = float(np.mean([len(group) for group in several]))
    medians = float(np.var([np.median(group) for group in groups], ddof=1))
    between = medians - _MEDIAN_VARIANCE * within / a_launch
    if between <= 0:
        return MOST_BATCHES
    worth = math.sqrt(launch_ns / batch_ns * within / between)
    return min(max(round(worth), 1), MOST_BATCHES)
