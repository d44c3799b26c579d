"""Outages: runs of losses that are longer than the clustering of this link's losses explains."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from weft.base.statistics import Floats
from weft.links.analysis.series import ProbeSeries

LEAST = 3
"""Lost probes in a row; fewer are loss, not an outage."""
EXPECTED = 0.02
"""Runs of an outage's length that chance may produce in the whole series."""
PASSES = 20
"""Of what is repeated until nothing changes, which is mostly after three."""
_PRIOR_RUNS, _PRIOR_LONGER = 5.0, 0.5
"""Prior of five runs, a tenth of which went on, so that a link without history has an estimate."""

Bools = npt.NDArray[np.bool_]
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Outage:
    """From the first lost probe to the next answered one (None: not yet), in Unix time."""

    begin_s: float
    end_s: float | None
    lost: int


def find_outages(series: ProbeSeries) -> list[Outage]:
    """Find runs of losses whose length chance does not explain; the series should have one kind and size of probe."""
    found = long_runs(series.stretches(), series.lost, np.zeros(len(series), bool))
    return [_outage(series, int(first), int(length)) for first, length in zip(*found, strict=True)]


def long_runs(
    stretch: Ints, lost: Bools, explained: Bools, expected: float = EXPECTED
) -> tuple[Ints, Ints]:
    """Return start and length of the runs of losses that chance does not explain.

    Losses cluster: after a loss, the next probe is lost with a probability of its own (E. N. Gilbert, Bell Syst. Tech.
    J. 39, 1960), so run lengths are assumed geometric. A run counts if fewer than `expected` runs of its length are
    expected by chance. The probability is estimated from the runs that are no outages, iteratively; runs that are
    entirely `explained` by something else are ignored. A run ends with its `stretch`, at a gap: what was not measured
    is not lost.
    """
    first, length = _runs(stretch, lost)
    unexplained = np.concatenate([[0], np.cumsum(lost & ~explained)])
    is_known = unexplained[first + length] == unexplained[first]
    is_outage = np.zeros(len(first), bool)
    for _ in range(PASSES):
        now = length >= _limits(length, is_outage | is_known, expected)
        if np.array_equal(now, is_outage):
            break
        is_outage = now
    return first[is_outage], length[is_outage]


def _limits(lengths: Ints, is_outage: Bools, expected: float) -> Floats:
    """For each run, the smallest length of which fewer than `expected` are expected, estimated from the other runs that
    are no outages.

    Only whether a run continued after its first loss counts, so that a long run weighs no more than a short one.
    """
    counts, goes_on = ~is_outage, ~is_outage & (lengths >= 2)
    others = counts.sum() - counts
    share = (goes_on.sum() - goes_on + _PRIOR_LONGER) / (others + _PRIOR_RUNS)
    behind_first = np.log(expected / (others + 1)) / np.log(np.minimum(share, 0.99))
    return np.asarray(np.maximum(LEAST, 1 + np.ceil(behind_first - 1e-9)))


def _runs(stretch: Ints, lost: Bools) -> tuple[Ints, Ints]:
    """Start and length of each run of losses."""
    is_behind_gap = np.diff(stretch, prepend=stretch[:1]) > 0
    begins = lost & (~np.concatenate([[False], lost[:-1]]) | is_behind_gap)
    first = np.flatnonzero(begins)
    length = np.bincount(np.cumsum(begins)[lost] - 1, minlength=len(first))
    return first, length


def _outage(series: ProbeSeries, first: int, length: int) -> Outage:
    """The outage of a run; one that is cut by a gap ends with its last probe."""
    behind = first + length
    begin_s = series.start + float(series.time_s[first])
    if behind >= len(series):
        return Outage(begin_s, None, length)
    if series.lost[behind]:
        behind -= 1
    return Outage(begin_s, series.start + float(series.time_s[behind]), length)
