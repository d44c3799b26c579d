"""Outages: runs of losses that are longer than the clustering of this link's losses explains."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from weft.diagnosis.links.series import Series

LEAST = 3
"""Probes in a row; fewer losses are loss."""
_EXPECTED = 0.02
"""So many runs of this length may be expected by chance in the whole series."""
_PRIOR_RUNS = 5.0
_PRIOR_LONGER = 0.5
"""As if five runs had been seen, of which a tenth went on: so a link without a history has one."""


@dataclass(frozen=True)
class Outage:
    """From the first lost probe to the first answered one behind it (None: not yet), in Unix time."""

    begin_s: float
    end_s: float | None
    lost: int


def find_outages(series: Series) -> list[Outage]:
    """Runs of losses whose length chance does not explain; the series should have one kind and size of probe.

    Losses cluster: after one the next is lost with a probability of its own (E. N. Gilbert, Bell Syst. Tech. J. 39,
    1960), so that run lengths are geometric. It is estimated from the runs that are no outages, until none changes.
    A gap ends a run: what was not measured is not lost.
    """
    first, length = _runs(series)
    is_outage = np.zeros(len(first), bool)
    for _ in range(20):
        now = length >= _limits(length, is_outage)
        if np.array_equal(now, is_outage):
            break
        is_outage = now
    return [
        _outage(series, int(f), int(n))
        for f, n in zip(first[is_outage], length[is_outage], strict=True)
    ]


def _limits(
    lengths: npt.NDArray[np.int64], is_outage: npt.NDArray[np.bool_]
) -> npt.NDArray[np.float64]:
    """For each run the least length of which fewer than `_EXPECTED` are expected, from the others that are no outages.

    Of those only the share that went on beyond one loss counts, so that a long one weighs no more than a short one.
    """
    counts, goes_on = ~is_outage, ~is_outage & (lengths >= 2)
    share = (goes_on.sum() - goes_on + _PRIOR_LONGER) / (counts.sum() - counts + _PRIOR_RUNS)
    behind_first = np.log(_EXPECTED / (counts.sum() + 1)) / np.log(np.minimum(share, 0.99))
    return np.asarray(np.maximum(LEAST, 1 + np.ceil(behind_first - 1e-9)))


def _runs(series: Series) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Where each run of losses begins, and how many it has."""
    lost = series.lost
    is_behind_gap = np.zeros(len(series), bool)
    is_behind_gap[1:] = np.diff(series.time_s) > 5 * max(series.interval_s, 1e-9)
    begins = lost & (~np.concatenate([[False], lost[:-1]]) | is_behind_gap)
    first = np.flatnonzero(begins)
    length = np.bincount(np.cumsum(begins)[lost] - 1, minlength=len(first))
    return first, length


def _outage(series: Series, first: int, length: int) -> Outage:
    """A run that a gap ends, ends with its last probe."""
    behind = first + length
    begin_s = series.start + float(series.time_s[first])
    if behind >= len(series):
        return Outage(begin_s, None, length)
    if series.lost[behind]:
        behind -= 1
    return Outage(begin_s, series.start + float(series.time_s[behind]), length)
