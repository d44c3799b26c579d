"""Which sizes of a step with a goal have reached it, and how many more launches the others need."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from weft.base.interval import Interval
from weft.base.sequential import held, interval, next_look, ranks, ratio_interval, share_interval
from weft.base.statistics import LEVEL, Floats, coverage, median_interval
from weft.plan.plan import Goal
from weft.understand.curve.curve import Curve
from weft.understand.curve.earlier import EarlierSize

MIN_FOR_SPREAD = 4
"""Quartiles need at least as many values."""
_REACH = 2.1
"""The half-width of a median's interval, in interquartile ranges over the square root of the number of values:
1.96 sqrt(pi / 2) / 1.349 for a normal distribution, plus a sixth for repeated looks."""
_MOST_NEEDED = 1e9
SHARE_WIDTH = 0.25
"""The shares of modes are known once each interval has at most this half-width."""


@dataclass(frozen=True)
class SizeDecision:
    """The state of a size after `launches`. `width` is the half-width of the median's interval relative to the median;
    None if there is no interval yet. `needed` estimates the total number of launches that reaches the goal; None if it
    is reached or cannot be estimated.

    With an earlier run, `ratio` is the throughput over that of the earlier run. It "differs", or is "equal" within
    the goal's width. `needed` launches would decide it; None if no number would, as the earlier run has too few.
    """

    phase: int
    size_bytes: int
    launches: int
    width: float | None
    needed: int | None
    reason: Literal["width", "modes", "differs", "equal"] | None
    ratio: Interval | None = None


def decisions(
    curve: Curve, goal: Goal, earlier: Mapping[int, EarlierSize] | None = None
) -> Iterator[SizeDecision]:
    """The state of each size of a curve, in its order; for sizes in `earlier`, that of the difference from it."""
    alpha = allowed_error(curve)
    for row, times in enumerate(curve.times_us):
        values = times[~np.isnan(times)]
        width = (
            relative_width(interval(values, alpha, upper=True))
            if ranks(len(values), alpha)
            else None
        )
        reason: Literal["width", "modes"] | None = None
        if width is not None and width <= goal.width:
            reason = "width"
        elif goal.rule == "decided" and _knows_shares(values, curve.modes[row].locations, alpha):
            reason = "modes"
        phase, size_bytes = int(curve.phases[row]), int(curve.sizes[row])
        needed = None if reason else _needed(values, goal)
        known = SizeDecision(phase, size_bytes, len(values), width, needed, reason)
        before = (earlier or {}).get(size_bytes)
        yield known if before is None else _beside(before, known, values, goal, alpha)


def allowed_error(curve: Curve) -> float:
    """The error probability of one size's interval; divided among the sizes if all must hold simultaneously."""
    together = curve.goal is not None and curve.goal.simultaneous
    return (1 - LEVEL) / (len(curve.sizes) if together else 1)


def interval_over_launches(
    curve: Curve, values: Sequence[float] | Floats, *, upper: bool = False
) -> Interval:
    """The median of one value per launch, with an interval that holds at all looks together if the curve has a goal."""
    if curve.goal is None:
        return median_interval(values, upper=upper)
    return interval(values, allowed_error(curve), upper=upper)


def coverage_over_launches(curve: Curve, launches: int) -> float:
    """The probability that `interval_over_launches` of `launches` values contains the median."""
    return held(launches, allowed_error(curve)) if curve.goal else coverage(launches)


def mode_shares(values: Floats, locations: Sequence[float], alpha: float) -> list[Interval]:
    """The share of launches that are nearest to each mode, with an interval that holds at all looks together."""
    nearest = np.argmin(np.abs(np.log(values)[:, np.newaxis] - np.log(locations)), axis=1)
    counts = np.bincount(nearest, minlength=len(locations))
    return [share_interval(int(count), len(values), alpha) for count in counts]


def _knows_shares(values: Floats, locations: tuple[float, ...], alpha: float) -> bool:
    if len(locations) < 2:
        return False
    shares = mode_shares(values, locations, alpha)
    return all(
        max(share.high - share.median, share.median - share.low) <= SHARE_WIDTH for share in shares
    )


def _beside(
    earlier: EarlierSize, known: SizeDecision, values: Floats, goal: Goal, alpha: float
) -> SizeDecision:
    """The state of the difference from the earlier run. If no number of launches would decide it, the size ends by
    the rule for sizes without an earlier run."""
    before = earlier.times_us
    is_known = np.isfinite(values).all()
    ended = earlier.ended_by_itself
    longer = ratio_interval(values, before, alpha, others_ended=ended) if is_known else None
    if longer is None:
        return replace(known, needed=next_look(len(values)), reason=None)
    ratio = longer.map_decreasing(lambda one: 1 / one)
    within = 1 + goal.width
    if 1 / within <= ratio.low and ratio.high <= within:
        return replace(known, needed=None, reason="equal", ratio=ratio)
    if not ratio.low <= 1 <= ratio.high:
        return replace(known, needed=None, reason="differs", ratio=ratio)
    needed = _needed_beside(ratio, len(values), len(before), within)
    reason = None if needed else known.reason
    return replace(known, needed=needed, reason=reason, ratio=ratio)


def _needed_beside(ratio: Interval, count: int, before: int, within: float) -> int | None:
    """The launches needed to decide a ratio; None if no number suffices.

    The interval's half-width shrinks as the square root of 1 / count + 1 / before. It must fall below the difference
    itself (then it differs), or below the distance from the difference to `within` (then it is equal).
    """
    reach, away = math.log(ratio.high / ratio.low) / 2, abs(math.log(ratio.median))
    least = max(away, math.log(within) - away)
    if not reach:
        return None
    share = (least / reach) ** 2 * (1 / count + 1 / before) - 1 / before
    if share <= 0:
        return None
    return max(math.ceil(min(1 / share, _MOST_NEEDED)), next_look(count) or count)


def _needed(values: Floats, goal: Goal) -> int | None:
    """The launches needed for the goal's width, from the quartiles of the values, which are robust against outliers;
    assumes a normal distribution."""
    if len(values) < MIN_FOR_SPREAD or not goal.width_ppm:
        return None
    low, middle, high = np.quantile(values, [0.25, 0.5, 0.75])
    launches = (_REACH * float((high - low) / middle) / goal.width) ** 2
    return max(math.ceil(launches), next_look(len(values)) or len(values))


def relative_width(found: Interval) -> float:
    """The half-width of an interval relative to its median; the larger of both sides."""
    return max(found.high / found.median - 1, 1 - found.low / found.median)
