"""What rounds of random partners and round trips show of single routes: slow, stalled, late, sent again."""

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
"""A route that got less than this share of the usual one, of those between leaves or inside of them."""
STALL_SHARE, STALL_LOSS_SHARE = 0.5, 0.03
"""A link that was away during a look leaves less than this share of the usual rate, or loses more than that share of
the segments: little else does."""
LATE_DEVIATIONS, LATE_SHARE = 6.0, 0.02
"""A round trip that is so many deviations and this share above the usual one."""
USUAL_QUANTILE = 0.25
"""... which is not the median: of few leaves one that is late is crossed by half of the routes between them. The
deviation is that of the quicker ones for the same reason: of a normal distribution, from the quantile of 5 % to
that of 25 %."""
SIDES: tuple[Side, ...] = ("out", "in", "both")
"""A cable that comes and goes shows it both ways, each of which alone would take twice as many rounds."""
LOSS_SHARE = 2e-4
"""A sender that lost more than this share of its segments."""


def slow(trials: Sequence[FlowTrial], where: ElementMap) -> Observations[GreyElement]:
    """Routes against the usual one of as many leaves, since random partners take all alike."""
    src, dst = _joined(trials, "src"), _joined(trials, "dst")
    return where.seen(
        "is slow", _of_usual(trials, where) < SLOW_SHARE, src, dst, SIDES, _rounds(trials)
    )


def stalled(
    trials: Sequence[FlowTrial], counted: Mapping[At, SegmentCounts], where: ElementMap
) -> Observations[GreyElement]:
    """Routes that got much less than the usual one or lost much at once."""
    src, dst = _joined(trials, "src"), _joined(trials, "dst")
    shown = _of_usual(trials, where) < STALL_SHARE
    shown |= _lost_shares(trials, counted) > STALL_LOSS_SHARE
    return where.seen("stalls at times", shown, src, dst, SIDES, _rounds(trials))


def late(survey: Survey, where: ElementMap) -> Observations[GreyElement]:
    """Round trips against those of as many leaves; the fastest of each pair, which are taken for independent."""
    src, dst = survey.trips.a, survey.trips.b
    shown = np.zeros(len(src), dtype=bool)
    for kind in _kinds(where, src, dst):
        shown[kind] = _late(survey.trips.fastest_us[kind])
    return where.seen("is late", shown, src, dst, ("both",), np.arange(len(src)))


def lossy(
    trials: Sequence[FlowTrial], counted: Mapping[At, SegmentCounts], where: ElementMap
) -> list[Observations[GreyElement]]:
    """Rounds in which a sender lost much; nothing where that was not recorded."""
    if not counted or not trials:
        return []
    src, dst = _joined(trials, "src"), _joined(trials, "dst")
    shown = _lost_shares(trials, counted) > LOSS_SHARE
    return [where.seen("loses frames", shown, src, dst, SIDES, _rounds(trials))]


def _of_usual(trials: Sequence[FlowTrial], where: ElementMap) -> Floats:
    """By look its rate, as a part of the usual one of as many leaves."""
    src, dst = _joined(trials, "src"), _joined(trials, "dst")
    mbps = np.concatenate([np.empty(0), *(trial.mbps for trial in trials)])
    for kind in _kinds(where, src, dst):
        mbps[kind] /= np.median(mbps[kind])
    return mbps


def _lost_shares(trials: Sequence[FlowTrial], counted: Mapping[At, SegmentCounts]) -> Floats:
    """By look what its sender lost; 0 where that was not counted."""
    sent = ((one.phase, src) for one in trials for src in one.src.tolist())
    none = SegmentCounts()
    return np.array([counted.get(one, none).lost_share for one in sent], dtype=float)


def _late(times: Floats) -> Bools:
    low, usual = np.quantile(times, [0.05, USUAL_QUANTILE])
    margin = max(LATE_DEVIATIONS * (usual - low), LATE_SHARE * usual)
    found: Bools = times > usual + margin
    return found


def _kinds(where: ElementMap, src: Ints, dst: Ints) -> list[Bools]:
    """Routes between leaves and inside of them, as far as there are any."""
    is_far = where.is_far(src, dst)
    return [kind for kind in (is_far, ~is_far) if kind.any()]


def _joined(trials: Sequence[FlowTrial], name: str) -> Ints:
    found: Ints = np.concatenate([np.empty(0, int), *(getattr(trial, name) for trial in trials)])
    return found


def _rounds(trials: Sequence[FlowTrial]) -> Ints:
    """By look the phase that it was in."""
    return np.repeat([one.phase for one in trials], [len(one.src) for one in trials]).astype(int)
