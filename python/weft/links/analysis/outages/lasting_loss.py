"""Lasting loss: times in which a link lost many more probes than usual, and still answered others."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import numpy.typing as npt

from weft.links.analysis.outages.outages import EXPECTED, PASSES

LEAST_RUNS = 5
"""Fewer separate losses are a burst, not lasting loss."""
SHARE = 0.2
"""The loss rate that is searched for, or five times the usual rate if that is higher; a quarter of it is still found
if it lasts."""
_TIMES_USUAL, _MOST_SHARE = 5.0, 0.5
"""What loses half is searched for as such, however much is usual: more would be an outage."""
_PRIOR_PROBES = 1000.0
"""With one loss, of a link that is not known yet."""

Ints = npt.NDArray[np.int64]
Spans = list[tuple[int, int]]
"""First and last index of each span."""


def lasting_loss(lost: Ints, total: int) -> Spans:
    """Find stretches with significantly more losses than the rest of the series; several in a row count as one.

    `lost` has the sorted positions of lost probes among all `total`; a stretch is the indices of its first and last
    loss in it. Each probe scores the log likelihood ratio of lasting against usual loss, and the result is the maximal
    segments of these scores (W. L. Ruzzo and M. Tompa, ISMB 1999). Fewer than `n exp(-score)` segments are expected by
    chance among n probes (S. Karlin and S. F. Altschul, Proc. Natl. Acad. Sci. USA 87, 1990). The usual rate is that
    outside such stretches. Linear in the number of losses.
    """
    if len(lost) < LEAST_RUNS:
        return []
    begins = np.flatnonzero(np.diff(lost, prepend=-2) > 1)
    ends = np.append(begins[1:], len(lost)) - 1
    answered = np.diff(lost[begins] - begins, prepend=0)
    spans: Spans = []
    for _ in range(PASSES):
        inside = np.zeros(len(begins), bool)
        for first, last in spans:
            inside[first : last + 1] = True
        covered = sum(int(lost[ends[last]] - lost[begins[first]]) + 1 for first, last in spans)
        usual = (1 + (~inside).sum()) / (_PRIOR_PROBES + total - covered)
        clear = min(max(SHARE, _TIMES_USUAL * usual), _MOST_SHARE)
        scores = float(np.log(clear / usual)), float(np.log((1 - usual) / (1 - clear)))
        now = _clear_segments(answered, *scores, float(np.log(total / EXPECTED)))
        if now == spans:
            break
        spans = now
    return [(int(begins[first]), int(ends[last])) for first, last in spans]


def _clear_segments(answered: Ints, gain: float, cost: float, least: float) -> Spans:
    """Positions of the first and last run of losses of segments with at least this score, split at quiet times that are
    as significant."""
    begins = [0, *np.flatnonzero(answered[1:] * cost >= least) + 1, len(answered)]
    return [
        (begin + first, begin + last)
        for begin, end in pairwise(map(int, begins))
        if end - begin >= LEAST_RUNS
        for first, last, score in _segments(answered[begin:end], gain, cost)
        if score >= least and last - first + 1 >= LEAST_RUNS
    ]


def _segments(answered: Ints, gain: float, cost: float) -> list[tuple[int, int, float]]:
    """All maximal segments as positions of their first and last run of losses, with their scores.

    Ruzzo and Tompa's algorithm, in which a run of losses scores `gain` and an answered probe `-cost`. A segment has the
    cumulated score before it (`left`) and at its end (`right`), and `lower`, the last earlier segment with a lower
    `left`.
    """
    spans: list[tuple[int, int]] = []
    left: list[float] = []
    right: list[float] = []
    lower: list[int] = []
    total = 0.0
    for position, quiet in enumerate(answered.tolist()):
        total -= cost * quiet
        first, begin, end = position, total, total + gain
        total = end
        while True:
            below = len(left) - 1
            while below >= 0 and left[below] >= begin:
                below = lower[below]
            if below < 0 or right[below] >= end:
                break
            first, begin = spans[below][0], left[below]
            for column in (spans, left, right, lower):
                del column[below:]
        spans.append((first, position))
        left.append(begin)
        right.append(end)
        lower.append(below)
    sums = zip(left, right, strict=True)
    return [(*span, end - begin) for span, (begin, end) in zip(spans, sums, strict=True)]
