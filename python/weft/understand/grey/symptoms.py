"""The symptoms of single routes in rounds with random partners and in round trips: slow, stalled, late, lossy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from weft.base.statistics import Floats
from weft.understand.curve.curve import Ints
from weft.understand.grey.observations import Bools, ElementMap, GreyElement, Observations, Side
from weft.understand.host.resent import At, SegmentCounts
from weft.understand.xray.survey import Survey
from weft.understand.xray.trial import FlowTrial

SLOW_SHARE = 0.9
"""A route is slow if it got less than this share of the median of routes between leaves, or inside them."""
STALL_SHARE, STALL_LOSS_SHARE = 0.5, 0.03
"""A link that was down during a look leaves less than the first share of the usual rate, or loses more than the second
share of the segments; hardly anything else does."""
LATE_DEVIATIONS, LATE_SHARE = 6.0, 0.02
"""A round trip is late if it exceeds the usual one by this many deviations and by this share."""
USUAL_QUANTILE = 0.25
"""The quantile of the usual round trip. It is not the median, because half of the routes between few leaves may cross a
late one; for the same reason the deviation is that of the faster ones, from the 5 % to the 25 % quantile."""
SIDES: tuple[Side, ...] = ("out", "in", "both")
"""An intermittent cable shows symptoms in both directions; either alone would need twice as many rounds."""
LOSS_SHARE = 2e-4
"""A sender is lossy if it lost more than this share of its segments."""


def slow(trials: Sequence[FlowTrial], where: ElementMap) -> Observations[GreyElement]:
    """Slow routes, relative to the median of routes between leaves or inside them, since partners are random."""
    src, dst = _joined(trials, "src"), _joined(trials, "dst")
    return where.seen(
        "is slow", _of_usual(trials, where) < SLOW_SHARE, src, dst, SIDES, _rounds(trials)
    )


def stalled(
    trials: Sequence[FlowTrial], counted: Mapping[At, SegmentCounts], where: ElementMap
) -> Observations[GreyElement]:
    """Stalled routes, which got much less than the median or lost much at once."""
    src, dst = _joined(trials, "src"), _joined(trials, "dst")
    shown = _of_usual(trials, where) < STALL_SHARE
    shown |= _lost_shares(trials, counted) > STALL_LOSS_SHARE
    return where.seen("stalls at times", shown, src, dst, SIDES, _rounds(trials))


def late(survey: Survey, where: ElementMap) -> Observations[GreyElement]:
    """Late round trips, relative to others between leaves or inside them; the fastest of each pair is used, and pairs
    are assumed to be independent."""
    src, dst = survey.trips.a, survey.trips.b
    shown = np.zeros(len(src), dtype=bool)
    for kind in _kinds(where, src, dst):
        shown[kind] = _late(survey.trips.fastest_us[kind])
    return where.seen("is late", shown, src, dst, ("both",), np.arange(len(src)))


def lossy(
    trials: Sequence[FlowTrial], counted: Mapping[At, SegmentCounts], where: ElementMap
) -> list[Observations[GreyElement]]:
    """Rounds in which a sender lost segments; empty if that was not recorded."""
    if not counted or not trials:
        return []
    src, dst = _joined(trials, "src"), _joined(trials, "dst")
    shown = _lost_shares(trials, counted) > LOSS_SHARE
    return [where.seen("loses frames", shown, src, dst, SIDES, _rounds(trials))]


def _of_usual(trials: Sequence[FlowTrial], where: ElementMap) -> Floats:
    """By look, its rate relative to the median of routes between leaves, or inside them."""
    src, dst = _joined(trials, "src"), _joined(trials, "dst")
    mbps = np.concatenate([np.empty(0), *(trial.mbps for trial in trials)])
    for kind in _kinds(where, src, dst):
        mbps[kind] /= np.median(mbps[kind])
    return mbps


def _lost_shares(trials: Sequence[FlowTrial], counted: Mapping[At, SegmentCounts]) -> Floats:
    """By look, the share of segments that its sender lost; 0 if that was not counted."""
    sent = ((one.phase, src) for one in trials for src in one.src.tolist())
    none = SegmentCounts()
    return np.array([counted.get(one, none).lost_share for one in sent], dtype=float)


def _late(times: Floats) -> Bools:
    low, usual = np.quantile(times, [0.05, USUAL_QUANTILE])
    margin = max(LATE_DEVIATIONS * (usual - low), LATE_SHARE * usual)
    found: Bools = times > usual + margin
    return found


def _kinds(where: ElementMap, src: Ints, dst: Ints) -> list[Bools]:
    """Masks of the routes between leaves and of those inside them, if any."""
    is_far = where.is_far(src, dst)
    return [kind for kind in (is_far, ~is_far) if kind.any()]


def _joined(trials: Sequence[FlowTrial], name: str) -> Ints:
    found: Ints = np.concatenate([np.empty(0, int), *(getattr(trial, name) for trial in trials)])
    return found


def _rounds(trials: Sequence[FlowTrial]) -> Ints:
    """By look, its phase."""
    return np.repeat([one.phase for one in trials], [len(one.src) for one in trials]).astype(int)
