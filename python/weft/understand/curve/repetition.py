"""How many batches of a size are worth measuring in one launch."""

from __future__ import annotations

import math

import numpy as np

from weft.base.statistics import Floats
from weft.understand.curve.curve import Ints

MOST_BATCHES = 30
_MEDIAN_VARIANCE = math.pi / 2
"""That of the median of many values from a normal distribution, in that of their mean."""


def batches_worth(
    times_us: Floats, launches: Ints, launch_ns: float, batch_ns: float
) -> int | None:
    """The number of batches a launch that makes the median known soonest; None where batches do not tell.

    `times_us` are the batches of a size and `launches` theirs; a launch costs `launch_ns` for this size beside its
    batches, each of which takes `batch_ns`. What batches of a launch have in common, as when each resembles the one
    before, counts as the launch's: it is not repeated away inside of one.

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
