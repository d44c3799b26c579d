"""Merges similar limits, such as those of all racks, and similar slow parts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from weft.base.alike import alike
from weft.base.interval import Interval
from weft.base.nodeset import fold_groups
from weft.base.statistics import median_interval
from weft.understand.limits.findings import LimitFinding, SlowPart


def fold_limits(limits: Sequence[LimitFinding]) -> list[list[LimitFinding]]:
    """Groups limits of one kind with equally many members, similar capacity and similar oversubscription. All members
    of a group have the same directions."""
    found: list[list[LimitFinding]] = []
    like = [
        same
        for as_wide in alike(limits, _kind, lambda limit: limit.capacity_mbps.median)
        for same in alike(as_wide, _kind, lambda limit: limit.oversubscription)
    ]
    for same in like:
        directions = sorted({limit.direction for limit in same})
        is_whole = len(same) == len(directions) * len({limit.members for limit in same})
        found += [same] if is_whole else [_towards(one, same) for one in directions]
    return found


def fold_slow(slow: Sequence[SlowPart]) -> list[SlowPart]:
    """Merges nodes that are similarly slow; routes stay separate."""
    found: list[SlowPart] = []
    for same in alike(
        slow, lambda one: (one.kind, one.direction), lambda one: one.rate_mbps.median
    ):
        nodes = tuple(node for one in same for node in one.nodes)
        found += same if same[0].kind == "route" else [replace(same[0], nodes=nodes)]
    return found


def members_text(limits: Sequence[LimitFinding]) -> str:
    """The nodes that share the limits: a set, or the number of sets and their size."""
    return fold_groups(limit.members for limit in limits)


def directions_text(limits: Sequence[LimitFinding]) -> str:
    """The directions of the limits, for example "out and in"."""
    return " and ".join(sorted({limit.direction for limit in limits}, reverse=True))


def capacity_of(limits: Sequence[LimitFinding]) -> Interval:
    """The median capacity of the limits, with an interval that encloses all of theirs."""
    found = [limit.capacity_mbps for limit in limits]
    middle = median_interval([each.median for each in found]).median
    return Interval(middle, min(each.low for each in found), max(each.high for each in found))


def _kind(limit: LimitFinding) -> tuple[object, ...]:
    return limit.kind, len(limit.members), limit.against


def _towards(direction: str, limits: Sequence[LimitFinding]) -> list[LimitFinding]:
    return [limit for limit in limits if limit.direction == direction]
