"""Times in which a link lost more than chance explains, with the kinds and sizes of probe that failed in them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from weft.links.analysis.outages.grouped import Bools, Group, GroupedProbes, Ints, grouped
from weft.links.analysis.outages.lasting_loss import Spans, lasting_loss
from weft.links.analysis.outages.outages import EXPECTED, PASSES, long_runs
from weft.links.analysis.series import ProbeSeries

_MISFIT = 0.1
"""The share of a period's probes that may contradict the hypothesis that a set of groups failed and the others
passed."""


@dataclass(frozen=True)
class Period:
    """From the first lost probe to the next answered one of the groups that failed (None: not yet), in Unix time.

    `failed` and `passed` are the groups that were probed; with `is_loss` it is lasting loss, which no set of groups
    explains. `share` of the probes was lost.
    """

    begin_s: float
    end_s: float | None
    lost: int
    share: float
    failed: frozenset[Group]
    passed: frozenset[Group]
    is_loss: bool


def find_periods(series: ProbeSeries) -> list[Period]:
    """Find periods of losses, in order of time.

    Searches runs of losses among all probes, those of a kind, large ones, and those of a kind and size. Runs that
    overlap are one period, but a run of all groups is a period by itself. What remains may be lasting loss.
    """
    probes = grouped(series)
    if probes is None:
        return []
    count = len(probes.lost)
    around = _lasting(probes, np.ones(count, bool))
    failed = explained = np.zeros(count, bool)
    for _ in range(PASSES):
        whole = _runs(probes, probes.sets[0], _Known(explained, failed, around))
        whole = [span for span in whole if _is_complete(probes, span)]
        rest = ~_mask(whole, count)
        known = _Known(explained, failed | ~rest, around)
        runs = (_runs(probes, members, known, rest) for members in probes.sets)
        parts = list(_together([span for found in runs for span in found]))
        clear = [span for span in parts if _failed(probes, span, rest)]
        last = rest & ~_mask(clear, count)
        vague = [span for span in parts if span not in clear]
        loss = list(_together(vague + _lasting(probes, last)))
        now = probes.lost & (~last | _mask(loss, count) | _tails(probes, whole))
        if np.array_equal(now, explained):
            break
        failed, explained = probes.lost & ~last, now
    found = [_whole(probes, span) for span in whole]
    found += [_part(probes, span, rest) for span in clear]
    found += [_loss(probes, span, last) for span in loss]
    return sorted(found, key=lambda one: one.begin_s)


@dataclass(frozen=True)
class _Known:
    """Results of the previous pass: explained losses, those of them in runs, and spans of lasting loss computed without
    runs."""

    explained: Bools
    failed: Bools
    around: Spans


def _runs(
    probes: GroupedProbes, members: frozenset[int], known: _Known, chosen: Bools | None = None
) -> Spans:
    """First and last probe of the runs among the chosen probes of these groups that are longer than lasting loss around
    them explains."""
    is_member = np.isin(np.arange(len(probes.groups)), list(members))[probes.group]
    at = np.flatnonzero(is_member if chosen is None else is_member & chosen)
    lost = probes.lost[at]
    if not lost.any():
        return []
    expected = _expected(probes, members)
    first, length = long_runs(probes.stretch[at], lost, known.explained[at], expected)
    return [
        (int(at[f]), int(at[f + n - 1]))
        for f, n in zip(first.tolist(), length.tolist(), strict=True)
        if _is_beyond(probes.lost, known, (int(at[f]), int(at[f + n - 1])), n)
    ]


def _expected(probes: GroupedProbes, members: frozenset[int]) -> float:
    """Runs by chance to allow for these groups: all other sets together get as many as all probes."""
    return EXPECTED if members == probes.sets[0] else EXPECTED / (len(probes.sets) - 1)


def _is_beyond(lost: Bools, known: _Known, span: tuple[int, int], length: int) -> bool:
    """Whether a run of this length exceeds the lasting loss around it: fewer than `EXPECTED` such runs at the loss rate
    of its other probes, without those of other runs."""
    for first, last in known.around:
        if first <= span[1] and span[0] <= last:
            part = slice(min(span[0], first), max(span[1], last) + 1)
            mine = np.zeros(part.stop - part.start, bool)
            mine[span[0] - part.start : span[1] + 1 - part.start] = lost[span[0] : span[1] + 1]
            others = ~known.failed[part] & ~mine
            count = int(others.sum())
            share = int((lost[part] & others).sum()) / max(count, 1)
            if count * share**length >= EXPECTED:
                return False
    return True


def _is_complete(probes: GroupedProbes, span: tuple[int, int]) -> bool:
    """Whether a run includes all groups that were probed before it."""
    first, last = span
    before = probes.group[max(0, first - 2 * len(probes.groups)) : first]
    usual = set((before if len(before) else probes.group).tolist())
    return usual <= set(probes.group[first : last + 1].tolist())


def _lasting(probes: GroupedProbes, chosen: Bools) -> Spans:
    """Lasting loss of the chosen probes, computed as if there were no others."""
    left_out = np.cumsum(~chosen)
    at = np.flatnonzero(chosen & probes.lost)
    spans = lasting_loss(probes.position[at] - left_out[at], probes.total - int(left_out[-1]))
    return [(int(at[first]), int(at[last])) for first, last in spans]


def _tails(probes: GroupedProbes, whole: Spans) -> Bools:
    """For each group, losses after a run of all groups until its first answer: a host is back before its agent."""
    tails = np.zeros(len(probes.lost), bool)
    for _, last in whole:
        for group in probes.sets[0]:
            answer = _next_answer(probes, last + 1, frozenset([group]))
            tails[last + 1 : answer] |= probes.group[last + 1 : answer] == group
    return tails


def _mask(spans: Spans, count: int) -> Bools:
    inside = np.zeros(count, bool)
    for first, last in spans:
        inside[first : last + 1] = True
    return inside


def _together(spans: Spans) -> Iterator[tuple[int, int]]:
    """Merge spans that overlap."""
    begin, end = 0, -1
    for first, last in sorted(spans):
        if first > end:
            if end >= begin:
                yield begin, end
            begin, end = first, last
        end = max(end, last)
    if end >= begin:
        yield begin, end


def _whole(probes: GroupedProbes, span: tuple[int, int]) -> Period:
    first, last = span
    every = frozenset(probes.groups[n] for n in np.unique(probes.group[first : last + 1]))
    lost = last - first + 1
    return Period(*_times(probes, span, probes.sets[0]), lost, 1.0, every, frozenset(), False)


def _part(probes: GroupedProbes, span: tuple[int, int], chosen: Bools) -> Period:
    failed = _failed(probes, span, chosen)
    _, lost, total = _counts(probes, span, chosen)
    groups = frozenset(probes.groups[n] for n in failed)
    passed = frozenset(probes.groups[n] for n in np.flatnonzero(total)) - groups
    times = _times(probes, span, failed if passed else probes.sets[0])
    return Period(*times, int(lost.sum()), float(lost.sum() / total.sum()), groups, passed, False)


def _failed(probes: GroupedProbes, span: tuple[int, int], chosen: Bools) -> frozenset[int]:
    """The groups that lost most probes; empty if such a set cannot fail by itself, or if too many probes contradict
    it."""
    _, lost, total = _counts(probes, span, chosen)
    failed = frozenset(np.flatnonzero(lost > total / 2).tolist())
    misfit = sum(min(a, b - a) for a, b in zip(lost, total, strict=True))
    is_clear = misfit <= max(1, _MISFIT * total.sum()) and _may_fail(probes, failed, total)
    return failed if is_clear else frozenset()


def _loss(probes: GroupedProbes, span: tuple[int, int], chosen: Bools) -> Period:
    _, lost, total = _counts(probes, span, chosen)
    probed = frozenset(probes.groups[n] for n in np.flatnonzero(total))
    times = _times(probes, span, probes.sets[0])
    share = float(lost.sum() / total.sum())
    return Period(*times, int(lost.sum()), share, frozenset(), probed, True)


def _counts(probes: GroupedProbes, span: tuple[int, int], chosen: Bools) -> tuple[Ints, Ints, Ints]:
    """Indices of the chosen probes in a span, and for each group, how many of them were lost and how many there
    were."""
    first, last = span
    at = first + np.flatnonzero(chosen[first : last + 1])
    count = len(probes.groups)
    lost = np.bincount(probes.group[at], probes.lost[at], count).astype(np.int64)
    stands = probes.series.stands
    weights = None if stands is None else stands[at]
    return at, lost, np.bincount(probes.group[at], weights, count).astype(np.int64)


def _may_fail(probes: GroupedProbes, failed: frozenset[int], total: Ints) -> bool:
    """Whether a single fault can hit these groups: all, all of some kinds, only large ones, or one."""
    probed = frozenset(np.flatnonzero(total).tolist())
    kinds = {probes.groups[n][0] for n in failed}
    of_kinds = frozenset(n for n in probed if probes.groups[n][0] in kinds)
    smallest = {kind: min(size for k, size in probes.groups if k == kind) for kind in kinds}
    are_large = all(probes.groups[n][1] > smallest[probes.groups[n][0]] for n in failed)
    return bool(failed) and (failed == of_kinds or are_large)


def _times(
    probes: GroupedProbes, span: tuple[int, int], members: frozenset[int]
) -> tuple[float, float | None]:
    """Begin and end of a period; one that is cut by a gap ends with its last probe."""
    series, (first, last) = probes.series, span
    begin_s = series.start + float(series.time_s[first])
    answer = _next_answer(probes, last + 1, members)
    if answer is None:
        return begin_s, None
    is_gap = probes.stretch[answer] > probes.stretch[last]
    return begin_s, series.start + float(series.time_s[last if is_gap else answer])


def _next_answer(probes: GroupedProbes, begin: int, members: frozenset[int]) -> int | None:
    """The first answered probe of these groups from `begin` on."""
    soon = 1024  # Mostly one of the next is answered.
    for first in range(begin, len(probes.lost), soon):
        part = slice(first, first + soon)
        found = np.flatnonzero(np.isin(probes.group[part], list(members)) & ~probes.lost[part])
        if len(found):
            return first + int(found[0])
    return None
