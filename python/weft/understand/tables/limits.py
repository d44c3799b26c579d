"""Shared limits and slow parts as tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from weft.base.interval import Interval
from weft.base.nodeset import fold
from weft.base.table import ResultColumn, ResultTable
from weft.understand.limits.findings import LimitFinding, LimitFindings, SlowPart
from weft.understand.limits.folded import (
    capacity_of,
    directions_text,
    fold_limits,
    fold_slow,
    members_text,
)

SURE = (
    "sure: 100 % less the test's error where nothing limits (3 % at most for each limit if rounds are independent, "
    "25 % at most where what disturbs them lasts five), times the support of the group; not the probability that "
    "the limit is there"
)


def _way(limits: Sequence[LimitFinding]) -> str:
    """For example "out to n[5-8]"."""
    way, against = directions_text(limits), limits[0].against
    return f"{way} {'to' if way == 'out' else 'from'} {fold(against)}" if against else way


_LIMITS = (
    ResultColumn("members", "members", tuple, lambda same: same[0].members, shown="data"),
    ResultColumn("shared_by", "shared by", str, members_text),
    ResultColumn("network", "network", int, lambda same: same[0].network),
    ResultColumn("kind", "limit", str, lambda same: same[0].kind),
    ResultColumn("direction", "direction", str, directions_text, shown="data"),
    ResultColumn("way", "direction", str, _way),
    ResultColumn("capacity_mbps", "capacity", Interval, capacity_of),
    ResultColumn("demand_mbps", "demand", read=lambda same: same[0].demand_mbps, shown="page"),
    ResultColumn(
        "oversubscription", "over", read=lambda same: same[0].oversubscription, spec=".1f"
    ),
    ResultColumn(
        "confidence_share",
        "sure",
        read=lambda same: min(one.confidence for one in same),
        spec=".0f",
    ),
)
_SLOW = (
    ResultColumn("nodes", "nodes", tuple, shown="data"),
    ResultColumn("name", "slow", str),
    ResultColumn("network", "network", int),
    ResultColumn("kind", "kind", str),
    ResultColumn("direction", "direction", str),
    ResultColumn("rate_mbps", "rate", Interval),
    ResultColumn("expected_mbps", "expected"),
)


def limits_table(limits: Sequence[LimitFinding]) -> ResultTable:
    """A row for each limit."""
    return _of_limits([[one] for one in limits])


def slow_table(slow: Sequence[SlowPart]) -> ResultTable:
    """A row for each slow part."""
    return ResultTable.of("slow", _SLOW, slow)


def folded_tables(found: LimitFindings) -> tuple[ResultTable, ResultTable]:
    """Tables of limits and of slow parts, with their evidence as notes; similar ones in a network share a row."""
    networks = found.networks or [found]
    limits = [same for one in networks for same in fold_limits(one.limits)]
    slow = [same for one in networks for same in fold_slow(one.slow)]
    notes = [same[0].evidence for same in limits], [one.evidence for one in slow]
    return replace(_of_limits(limits), notes=notes[0]), replace(slow_table(slow), notes=notes[1])


def _of_limits(found: Sequence[Sequence[LimitFinding]]) -> ResultTable:
    title = "limits, payload of all members together"
    return ResultTable.of(title, _LIMITS, found, [SURE])
