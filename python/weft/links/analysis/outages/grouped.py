"""The probes of a link near losses, by kind and size, and which of these groups can fail together."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from weft.links.analysis.series import ProbeSeries
from weft.runs.probes import KINDS

Bools = npt.NDArray[np.bool_]
Ints = npt.NDArray[np.int64]
Group = tuple[int, int]
"""A kind of probe (position in `KINDS`) and its size in bytes."""

_TCP = KINDS.index("tcp-connect"), KINDS.index("tcp-echo")
_OF_AN_AGENT = KINDS.index("tcp-echo"), KINDS.index("udp-echo")
_KINDS_TOGETHER = (_TCP, _OF_AN_AGENT, (*_TCP, KINDS.index("udp-echo")))
_NEAR = 64
"""Far more than a link has kinds and sizes: unless something failed, this many probes include answered ones of each."""


@dataclass(frozen=True)
class GroupedProbes:
    """The probes near losses: `position` among all `total` probes, `stretch` (number of gaps before), and `group` of
    each. `sets` are the sets of groups that can fail together; the first one has all."""

    series: ProbeSeries
    position: Ints
    total: int
    lost: Bools
    groups: list[Group]
    group: Ints
    stretch: Ints
    sets: list[frozenset[int]]


def grouped(series: ProbeSeries) -> GroupedProbes | None:
    """The probes near losses; None if nothing was lost."""
    all_lost = series.lost
    position = _near(np.flatnonzero(all_lost), len(series))
    if not len(position):
        return None
    stretch, places = series.stretches()[position], series.positions()[position]
    series, total = series.at(position), series.count
    code = series.kind.astype(np.int64) << 32 | series.size_bytes
    codes, group = _distinct(code)
    groups = [(int(one >> 32), int(one & 0xFFFF_FFFF)) for one in codes]
    numbers = range(len(groups))
    smallest = {kind: min(size for k, size in groups if k == kind) for kind, _ in groups}
    sets = [frozenset(numbers)]
    together = [{kind} for kind in smallest] + [set(kinds) for kinds in _KINDS_TOGETHER]
    sets += [frozenset(n for n in numbers if groups[n][0] in kinds) for kinds in together]
    sets += [frozenset(n for n in numbers if groups[n][1] > smallest[groups[n][0]])]
    sets += [frozenset([n]) for n in numbers]
    sets = [one for one in dict.fromkeys(sets) if one]
    return GroupedProbes(series, places, total, all_lost[position], groups, group, stretch, sets)


def _near(lost: Ints, count: int) -> Ints:
    """Positions of up to `_NEAR` probes before and after each lost one, which suffices to tell runs apart."""
    is_new = np.diff(lost, prepend=-2 * _NEAR - 2) > 2 * _NEAR + 1
    is_last = np.append(is_new[1:], True)[: len(lost)]
    first = np.maximum(lost[is_new] - _NEAR, 0)
    last = np.minimum(lost[is_last] + _NEAR, count - 1)
    length = last - first + 1
    begins = np.cumsum(length) - length
    return np.asarray(np.arange(int(length.sum())) + np.repeat(first - begins, length))


def _distinct(code: Ints) -> tuple[Ints, Ints]:
    """Like np.unique with its inverse, for few distinct values: O(n) for each instead of a sort."""
    codes: list[int] = []
    group = np.full(len(code), -1)
    while (rest := int(np.argmin(group))) >= 0 and group[rest] < 0:
        group[code == code[rest]] = len(codes)
        codes.append(int(code[rest]))
    return np.array(codes, np.int64), group
