"""What rounds of random partners and round trips show of single routes: slow, late, sent again."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from weft.diagnosis.curve import Ints
from weft.diagnosis.grey.observations import Bools, Element, Map, Observations
from weft.diagnosis.resent import Segments, segments
from weft.diagnosis.xray.survey import Survey
from weft.diagnosis.xray.trial import Trial
from weft.statistics import Floats

SLOW_SHARE = 0.9
"""A route that got less than this share of the usual one, of those between leaves or inside of them."""
LATE_DEVIATIONS, LATE_SHARE = 6.0, 0.02
"""A round trip that is so many deviations and this share above the usual one."""
USUAL_QUANTILE = 0.25
"""... which is not the median: of few leaves one that is late is crossed by half of the routes between them. The
deviation is that of the quicker ones for the same reason."""
TO_DEVIATIONS = 1.0
"""Of a normal distribution, from the quantile of 5 % to that of 25 %."""
LOSS_SHARE = 2e-4
"""A sender that lost more than this share of its segments."""


def slow(trials: Sequence[Trial], where: Map) -> Observations[Element]:
    """Routes against the usual one of as many leaves, since random partners take all alike."""
    src, dst = _joined(trials, "src"), _joined(trials, "dst")
    mbps = np.concatenate([np.empty(0), *(trial.mbps for trial in trials)])
    shown = np.zeros(len(src), dtype=bool)
    for kind in _kinds(where, src, dst):
        shown[kind] = mbps[kind] < SLOW_SHARE * np.median(mbps[kind])
    return where.seen("is slow", shown, src, dst, ("out", "in"))


def late(survey: Survey, where: Map) -> Observations[Element]:
    """Round trips against those of as many leaves."""
    src, dst = survey.trips.a, survey.trips.b
    shown = np.zeros(len(src), dtype=bool)
    for kind in _kinds(where, src, dst):
        shown[kind] = _late(survey.trips.fastest_us[kind])
    return where.seen("is late", shown, src, dst, ("both",))


def lossy(
    trials: Sequence[Trial], step: int, evidence: pa.Table, where: Map
) -> list[Observations[Element]]:
    """Rounds in which a sender lost much; nothing where that was not recorded."""
    counted = segments(evidence, step)
    if not counted or not trials:
        return []
    phases = np.repeat([one.phase for one in trials], [len(one.src) for one in trials])
    src, dst = _joined(trials, "src"), _joined(trials, "dst")
    sent = zip(phases.tolist(), src.tolist(), strict=True)
    none = Segments()
    shown = np.array([counted.get(one, none).lost_share > LOSS_SHARE for one in sent], dtype=bool)
    return [where.seen("loses frames", shown, src, dst, ("out", "in"))]


def _late(times: Floats) -> Bools:
    low, usual = np.quantile(times, [0.05, USUAL_QUANTILE])
    margin = max(LATE_DEVIATIONS * (usual - low) / TO_DEVIATIONS, LATE_SHARE * usual)
    found: Bools = times > usual + margin
    return found


def _kinds(where: Map, src: Ints, dst: Ints) -> list[Bools]:
    """Routes between leaves and inside of them, as far as there are any."""
    is_far = where.is_far(src, dst)
    return [kind for kind in (is_far, ~is_far) if kind.any()]


def _joined(trials: Sequence[Trial], name: str) -> Ints:
    found: Ints = np.concatenate([np.empty(0, int), *(getattr(trial, name) for trial in trials)])
    return found
