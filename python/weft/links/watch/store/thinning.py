"""Thin a day's answers so that its findings stay the same: losses, outages, gaps, and the statistics of each quarter of
an hour."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from weft.links.analysis.local_time import QUARTER_S

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

LONGEST_TO_S = 180.0
"""With longer intervals, a quarter would have too few answers for its minimum."""
_QUARTER_US = round(QUARTER_S * 1e6)
_GAP_INTERVALS = 5


def thin(table: pa.Table, to_s: float) -> pa.Table:
    """Select the rows to keep of a day that was not thinned yet (`DAY_SCHEMA`, by link in order of arrival): one in
    `to_s` seconds of each link, kind and size; `stands` is the number of rows that it represents.

    All losses stay, and the answers of each kind and size next to gaps and to losses of any link, which tell what
    failed together. Of each quarter of an hour, answers are kept evenly by rank of their round trip, including first,
    last, minimum, median and maximum, and as many above the median as below, so that minimum and median do not change.
    If the clock was set back, rows before and after are thinned separately. O(n log n).
    """
    if not table.num_rows:
        return table
    time_us = table["time_us"].to_numpy()
    link = _group(table["link"].to_numpy(), np.cumsum(np.diff(time_us, prepend=0) < 0))
    lost = table["rtt_ns"].is_null().to_numpy()
    rtt = table["rtt_ns"].fill_null(0).to_numpy()
    group = _group(link, table["kind"].to_numpy(), table["size_bytes"].to_numpy())
    order = np.lexsort((time_us, group))
    forced = np.empty(len(order), bool)
    gap, losses = _gaps_before(time_us, link), _losses_before(time_us, lost)
    cell = group * 100 + time_us // _QUARTER_US % 96
    forced[order] = _edges(
        group[order], cell[order], gap[order], losses[order], time_us[order], lost[order]
    )
    kept = forced.copy()
    chosen = np.flatnonzero(~lost)
    half = max(2, round(QUARTER_S / to_s) // 2)
    kept[chosen] = _spread(cell[chosen], rtt[chosen], forced[chosen], half)
    stands = np.ones(len(order), np.int32)
    stands[order] = _stands(kept[order])
    index = table.column_names.index("stands")
    return table.set_column(index, "stands", pa.array(stands)).filter(pa.array(kept))


def _group(*columns: npt.NDArray[np.integer]) -> Ints:
    """A number for each combination of values."""
    number = np.zeros(len(columns[0]), np.int64)
    for column in columns:
        values, code = np.unique(column, return_inverse=True)
        number = number * len(values) + code
    return number


def _gaps_before(time_us: Ints, name: npt.NDArray[np.integer]) -> Ints:
    """For each row, in order of name and time, the number of gaps before it."""
    steps = np.diff(time_us, prepend=time_us[0])
    is_first = np.diff(name, prepend=name[0]) != 0
    usual = np.zeros(len(name))
    for one in np.unique(name):
        usual[name == one] = np.median(steps[(name == one) & ~is_first])
    return np.asarray(np.cumsum(is_first | (steps > _GAP_INTERVALS * np.maximum(usual, 1))))


def _losses_before(time_us: Ints, lost: Bools) -> Ints:
    """For each row, the number of earlier losses on all links."""
    order = np.argsort(time_us, kind="stable")
    count = np.empty(len(order), np.int64)
    count[order] = np.cumsum(lost[order]) - lost[order]
    return count


def _edges(group: Ints, cell: Ints, gap: Ints, losses: Ints, time_us: Ints, lost: Bools) -> Bools:
    """Losses, and the rows of each group next to a loss of any link, to a gap of its link or group, or to either end of
    a quarter; rows are in order of group and time."""
    begins = np.ones(len(group), bool)
    begins[1:] = (np.diff(gap) != 0) | (np.diff(_gaps_before(time_us, group)) != 0)
    begins[1:] |= (np.diff(cell) != 0) | (np.diff(losses) != 0)
    ends = np.append(begins[1:], True)
    before = np.append(lost[1:], False)
    return np.asarray(begins | ends | lost | before)


def _spread(cell: Ints, rtt: Ints, forced: Bools, half: int) -> Bools:
    """The forced answers of each cell, and at least `half` on each side of the median answer, evenly by rank and as
    many below as above."""
    order = np.lexsort((rtt, cell))
    _, number, count = np.unique(cell[order], return_inverse=True, return_counts=True)
    first = np.cumsum(count) - count
    rank = np.arange(len(order)) - first[number]
    middle = (count // 2)[number]
    above = rank > middle
    # A side of a cell; its answers are numbered from the end away from the median.
    side = 2 * number + above
    size = np.where(above, count[number] - 1 - middle, middle)
    place = np.where(above, count[number] - 1 - rank, rank)
    kept = forced[order] | (rank == middle) | _evenly(place, size, np.minimum(half, size))
    kept |= _balance(kept, side, rank == middle, place)
    found = np.empty(len(order), bool)
    found[order] = kept
    return found


def _evenly(place: Ints, size: Ints, wanted: Ints) -> Bools:
    """Whether each place is one of `wanted` places spread evenly from 0 on."""
    size = np.maximum(size, 1)
    at = -(-place * wanted // size)
    return np.asarray((at < wanted) & (at * size // np.maximum(wanted, 1) == place))


def _balance(kept: Bools, side: Ints, is_middle: Bools, place: Ints) -> Bools:
    """Further answers to keep so that both sides of the median have the same number; all of a side with too few."""
    sides = int(side.max(initial=0)) // 2 * 2 + 2
    has = np.bincount(side, kept & ~is_middle, sides).astype(np.int64)
    missing = (has.reshape(-1, 2).max(axis=1, keepdims=True) - has.reshape(-1, 2)).ravel()[side]
    free = np.flatnonzero(~kept)
    order = free[np.lexsort((place[free], side[free]))]
    count = np.bincount(side[free], minlength=sides)
    position = np.arange(len(order)) - (np.cumsum(count) - count)[side[order]]
    size = count[side[order]]
    added = np.zeros(len(kept), bool)
    added[order] = _evenly(position, size, np.minimum(missing[order], size))
    return added


def _stands(kept: Bools) -> npt.NDArray[np.int32]:
    """For each row, the number of rows from it to the next one that is kept."""
    at = np.flatnonzero(kept)
    stands = np.ones(len(kept), np.int32)
    stands[at] = np.diff(at, append=len(kept))
    return stands
