"""The share of lost segments, with an interval that allows for bursts of losses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from weft.base.interval import Interval
from weft.base.statistics import LEVEL, Floats, share_bounds


class LossCounts(NamedTuple):
    """For each route of one kind, how much was sent, and how much of it was lost."""

    lost: Floats
    sent: Floats

    @property
    def share(self) -> float:
        """The lost share over all routes."""
        return float(self.lost.sum() / max(1.0, self.sent.sum()))

    def used(self) -> LossCounts:
        """Without routes that carried nothing. Losses may be negative, if segments were late rather than lost."""
        carried = self.sent > 0
        sent = self.sent[carried]
        return LossCounts(np.clip(self.lost[carried], 0.0, sent), sent)


def joined(kinds: Sequence[LossCounts]) -> LossCounts:
    """The routes of all kinds."""
    return LossCounts(*(np.concatenate(values) for values in zip(*kinds, strict=True)))


def lost_share(kinds: Sequence[LossCounts], of_nodes: int = 1) -> Interval:
    """The lost share in per cent, with an interval. Routes are resampled rather than segments, because losses come in
    bursts: the effective number of segments is reduced by the excess of the variance between routes of a kind over that
    of independent losses. The intervals of `of_nodes` nodes hold together with 95 %.

    The interval of the effective number. Source: E. L. Korn and B. I. Graubard,
    "Confidence intervals for proportions with small expected number of positive counts estimated from survey data",
    Survey Methodology 24, 1998. If nothing was lost, the length of bursts is unknown, and independent losses are
    assumed.
    """
    used = [one.used() for one in kinds]
    all_ = joined(used)
    tail = (1 - LEVEL) / 2 / of_nodes
    if not len(all_.sent):
        return Interval(0.0, 0.0, 100.0)
    at_once = _at_once(used, all_.share, tail)
    events, of = float(all_.lost.sum()) / at_once, float(all_.sent.sum()) / at_once
    return Interval(*(100 * one for one in (all_.share, *share_bounds(events, of, tail))))


def _at_once(kinds: Sequence[LossCounts], share: float, tail: float) -> float:
    """The design effect: variance over routes relative to that of independent losses, corrected for the few degrees of
    freedom."""
    from scipy.stats import norm, t

    single = share * (1 - share) * sum(float(one.sent.sum()) for one in kinds)
    if not single:
        return 1.0
    excess = max(1.0, sum(map(_variance, kinds)) / single)
    free = sum(len(one.sent) - 1 for one in kinds if len(one.sent))
    return excess * float((t.ppf(tail, free) / norm.ppf(tail)) ** 2) if free else excess


def _variance(one: LossCounts) -> float:
    """The variance of the number of losses, from the differences between routes; the losses of a single route may be
    one burst."""
    count = len(one.sent)
    if count < 2:
        return float((one.lost**2).sum())
    return float(((one.lost - one.share * one.sent) ** 2).sum()) * count / (count - 1)
