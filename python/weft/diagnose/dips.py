"""Sizes that are slower than their neighbours explain."""

from __future__ import annotations

import math
from collections.abc import Sequence

from weft.diagnose.curve import Ints
from weft.interval import Interval

MARGIN = 1.05
"""A dip costs at least 5 %; a smaller one may be real, but is too small to act on."""

MIN_LAUNCHES = 3
"""Launches each of the three sizes needs. With three, ranges that part by chance have p = 1/84,
with two 1/15, which among a hundred sizes would cry wolf every time."""


def dips(sizes: Ints, times_us: Sequence[Interval], launches: Ints) -> list[Interval | None]:
    """For each size the time its neighbours promise where it is a dip, else None.

    A size is a dip when
    1. its whole interval lies above the line (in log size and log time) between the upper ends of
       both neighbours' intervals, by MARGIN. The affine time T0 + n/r is convex there, so that the
       line is generous; and
    2. it is out of line with both sides, by whole intervals: slower in throughput than the smaller
       and than the larger neighbour, or longer in time than both. A lasting step, as at a packet
       boundary, is not a dip.
    """
    found: list[Interval | None] = [None] * len(times_us)
    for at in range(1, len(times_us) - 1):
        if min(launches[at - 1 : at + 2]) < MIN_LAUNCHES or sizes[at - 1] <= 0:
            continue
        expected = _between(sizes[at - 1 : at + 2], times_us[at - 1], times_us[at + 1])
        above = times_us[at].low > expected.high * MARGIN
        if above and _stands_out(sizes[at - 1 : at + 2], times_us[at - 1 : at + 2]):
            found[at] = expected
    return found


def _between(sizes: Ints, before: Interval, after: Interval) -> Interval:
    """The neighbours' times, interpolated at the middle one of three sizes."""
    share = math.log(sizes[1] / sizes[0]) / math.log(sizes[2] / sizes[0])

    def blend(left: float, right: float) -> float:
        return math.exp((1 - share) * math.log(left) + share * math.log(right))

    return Interval(
        blend(before.median, after.median),
        blend(before.low, after.low),
        blend(before.high, after.high),
    )


def _stands_out(sizes: Ints, times_us: Sequence[Interval]) -> bool:
    """Whether the middle one has less throughput than both others, or takes longer than both."""
    before, here, after = times_us
    slower = (
        here.low / sizes[1] > before.high / sizes[0] and here.low / sizes[1] > after.high / sizes[2]
    )
    longer = here.low > before.high and here.low > after.high
    return slower or longer
