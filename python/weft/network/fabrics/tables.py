"""Tables of limits."""

from __future__ import annotations

from collections.abc import Iterable

from weft.base.table import ResultColumn, ResultTable
from weft.network.fabrics.describe import Description, Hop

_LIMITS = (
    ResultColumn("name", "limit", str),
    ResultColumn("rate_mbps", "on the wire", read=lambda one: one.mbps),
    ResultColumn("is_free", "no limit", bool, lambda one: one.mbps is None),
    ResultColumn("delay_us", "delay", spec="g"),
)
_RATES = (
    ResultColumn("count", "limits", int, lambda one: one[1]),
    ResultColumn("rate_mbps", "on the wire", read=lambda one: one[0]),
    ResultColumn("is_free", "no limit", bool, lambda one: one[0] is None),
)


def limits_table(hops: Iterable[Hop]) -> ResultTable:
    """The limits of a route or a fabric, with the delay after each."""
    return ResultTable.of("limits", _LIMITS, hops)


def rates_table(found: Description) -> ResultTable:
    """The number of limits by rate."""
    return ResultTable.of("limits", _RATES, found.by_rate())
