"""Medians with rank-based intervals, and how many modes a distribution has."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt
from diptest import diptest

from weft.base.interval import Interval

Floats = npt.NDArray[np.float64]

LEVEL = 0.95
"""Target coverage of intervals; `coverage` gives what the number of launches allows."""

MODE_ALPHA = 0.01
"""A distribution is taken to be multimodal only if the dip test rejects unimodality at this level."""

MIN_MODE_RATIO = 1.02
"""Peaks closer than 2 % are one mode: clock steps cause such peaks, and no decision depends on them."""

MAD_TO_SD = 1.4826
"""Standard deviation of a normal distribution over its median absolute deviation."""

MEDIAN_VARIANCE = math.pi / 2
"""Variance of a median in units of that of a mean, for normal values."""

_GRID_POINTS = 512
_DIP_TABLE_END = 72_000


def median_interval(
    values: Sequence[float] | Floats, level: float = LEVEL, *, upper: bool = False
) -> Interval:
    """The median and the order statistics that enclose the population's median.

    Nothing is interpolated: all three numbers were measured. With an even number of values, the median is the lower of
    the two middle ones, or the `upper` one. Callers choose the slower one (lower rate, longer time), so that a rate
    always belongs to the time beside it.

    Source: the binomial interval for a quantile, e.g. J.-Y. Le Boudec, "Performance Evaluation of Computer and
    Communication Systems" (2010), theorem 2.1.
    """
    ordered = np.sort(np.asarray(values, dtype=np.float64))
    count = len(ordered)
    if count == 0:
        raise ValueError("an interval needs at least one value")
    rank, _ = _rank(count, level)
    return Interval(
        float(ordered[middle_rank(count, upper)]),
        float(ordered[rank - 1]),
        float(ordered[count - rank]),
    )


def middle_rank(count: int, upper: bool = False) -> int:
    """The rank of the median among `count` sorted values, from 0."""
    return (count if upper else count - 1) // 2


def coverage(count: int, level: float = LEVEL) -> float:
    """The probability that `median_interval` of `count` values contains the true median.

    Five launches reach 0.9375 with their full range, one launch 0, whatever the level.
    """
    return _rank(count, level)[1]


def has_interval(launches: int) -> bool:
    """Whether this number of launches allows an interval: the range of two contains the median in half of all cases."""
    return launches > 2


@lru_cache(maxsize=1024)
def _rank(count: int, level: float) -> tuple[int, float]:
    """The largest r such that [x_(r), x_(n+1-r)] covers with `level`, or 1, and its coverage.

    The interval misses when fewer than r of n fair coins show heads, or tails.
    """
    heads = np.arange(1, max(1, count // 2))
    log2_ways = np.cumsum(np.log2(np.append(1.0, (count - heads + 1) / heads)))
    misses = 2 * np.cumsum(np.exp2(log2_ways - count))
    rank = max(1, int(np.searchsorted(misses, 1 - level, side="right")))
    return rank, max(0.0, 1.0 - float(misses[rank - 1]))


def share_bounds(count: float, of: float, tail: float) -> tuple[float, float]:
    """The bounds of the share `count` / `of`, each of which errs with probability `tail` (C. J. Clopper and E. S.
    Pearson, Biometrika 26, 1934). Counts may be effective ones, and need not be whole."""
    from scipy.special import betaincinv  # imported here, as it would slow down every command

    low = float(betaincinv(count, of - count + 1, tail)) if count else 0.0
    high = float(betaincinv(count + 1, of - count, 1 - tail)) if count < of else 1.0
    return low, high


@dataclass(frozen=True)
class Modes:
    """The number of modes that the samples prove, at least one, and their positions in increasing order."""

    count: int
    locations: tuple[float, ...]


def modes(values: Sequence[float] | Floats) -> Modes:
    """Count and locate the modes of positive values such as times.

    Hartigan's dip test decides whether there is more than one (J. A. Hartigan and P. M. Hartigan, "The dip test of
    unimodality", Annals of Statistics 13, 1985). A kernel density estimate of the logarithms then splits the values at
    the valley between the two coarsest peaks, and each side is tested again, as in recursive dip testing (S. Maurus and
    C. Plant, "Skinny-dip", KDD 2016). Small sets of values rarely prove more than one mode, as the test has little
    power there.
    """
    ordered = np.sort(np.asarray(values, dtype=np.float64))
    centres = _mode_centres(np.log(ordered))
    return Modes(len(centres), tuple(math.exp(centre) for centre in centres))


def modes_over_launches(values: Floats, launches: npt.NDArray[np.int64]) -> Modes:
    """The modes of batches grouped in launches.

    Batches of one launch resemble each other, so a few different launches look like as many peaks. Peaks therefore
    count only if a fifth of the launches visit two of them (at least twice each), or if the launches' own medians, each
    counted once, prove them. Infinite times, of batches of which nothing arrived, are ignored.
    """
    arrived = np.isfinite(values)
    if not arrived.any():
        return Modes(1, (math.inf,))
    values, launches = values[arrived], launches[arrived]
    pooled = modes(values)
    if pooled.count == 1 or _launches_visit_two(values, launches, pooled):
        return pooled
    labels = np.unique(launches)
    return modes([median_interval(values[launches == label]).median for label in labels])


def _launches_visit_two(values: Floats, launches: npt.NDArray[np.int64], found: Modes) -> bool:
    centres = np.log(np.array(found.locations))
    nearest = np.searchsorted((centres[1:] + centres[:-1]) / 2, np.log(values))
    labels, rows = np.unique(launches, return_inverse=True)
    visits = np.zeros((len(labels), found.count), dtype=np.int64)
    np.add.at(visits, (rows, nearest), 1)
    both = np.count_nonzero(np.sum(visits >= 2, axis=1) >= 2)
    return bool(both >= max(1, len(labels) / 5))


def _mode_centres(logs: Floats) -> list[float]:
    """Peaks of sorted logarithms, split recursively while the dip test rejects unimodality."""
    if not _is_multimodal(logs):
        return [_peak(logs)]
    valley = _valley(logs)
    if valley is None:
        return [_peak(logs)]
    cut = int(np.searchsorted(logs, valley))
    return _mode_centres(logs[:cut]) + _mode_centres(logs[cut:])


def _is_multimodal(logs: Floats) -> bool:
    if len(logs) < 4 or logs[-1] - logs[0] < math.log(MIN_MODE_RATIO):
        return False
    if len(logs) > _DIP_TABLE_END:  # the published table of critical values ends here
        logs = logs[np.linspace(0, len(logs) - 1, _DIP_TABLE_END).astype(np.int64)]
    _, p_value = diptest(logs, sort_x=False)
    return bool(p_value < MODE_ALPHA)


def _valley(logs: Floats) -> float | None:
    """The minimum between the two peaks that appear first as the kernel gets narrower; None if there is none."""
    bandwidth = 1.06 * float(np.std(logs)) * len(logs) ** -0.2
    narrowest = (logs[-1] - logs[0]) / _GRID_POINTS
    while bandwidth > narrowest:
        grid, density = _density(logs, bandwidth)
        peaks = _peaks(density)
        if len(peaks) > 1:
            left, right = sorted(sorted(peaks, key=lambda at: -density[at])[:2])
            valley = left + int(np.argmin(density[left : right + 1]))
            apart = grid[right] - grid[left] >= math.log(MIN_MODE_RATIO)
            return float(grid[valley]) if apart else None
        bandwidth *= 0.8
    return None


def _peak(logs: Floats) -> float:
    """The maximum of the density with Silverman's bandwidth; the median if there are few values."""
    if len(logs) < 4 or logs[-1] - logs[0] < 1e-9:
        return float(logs[(len(logs) - 1) // 2])
    middle = logs[(3 * len(logs)) // 4] - logs[len(logs) // 4]
    spread = min(float(np.std(logs)), float(middle) / 1.34) or float(np.std(logs))
    grid, density = _density(logs, 0.9 * spread * len(logs) ** -0.2)
    return float(grid[int(np.argmax(density))])


def _density(logs: Floats, bandwidth: float) -> tuple[Floats, Floats]:
    """A Gaussian kernel density on a grid, from a fine histogram: linear in the number of values."""
    low, high = float(logs[0]) - 3 * bandwidth, float(logs[-1]) + 3 * bandwidth
    counts, edges = np.histogram(logs, bins=_GRID_POINTS, range=(low, high))
    deviation = bandwidth / float(edges[1] - edges[0])
    radius = min(int(4 * deviation) + 1, _GRID_POINTS // 2 - 1)
    kernel = np.exp(-0.5 * (np.arange(-radius, radius + 1) / deviation) ** 2)
    return (edges[1:] + edges[:-1]) / 2, np.convolve(counts, kernel, mode="same")


def _peaks(density: Floats) -> list[int]:
    """Indices of local maxima; the first one of a plateau."""
    rises = np.diff(density) > 0
    inner = np.flatnonzero(rises[:-1] & ~rises[1:]) + 1
    return [int(at) for at in inner]


def thinned_rows(values: Floats, limit: int) -> npt.NDArray[np.int64]:
    """Positions of about `limit` values (at most two more), evenly spaced in their order, including minimum and
    maximum."""
    every = -(-len(values) // limit) or 1
    kept = set(range(0, len(values), every))
    if len(values):
        kept |= {int(np.argmin(values)), int(np.argmax(values))}
    return np.array(sorted(kept), dtype=np.int64)
