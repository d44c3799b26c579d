"""Signatures as a table: a row for each curve."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from weft.base.interval import Interval
from weft.base.statistics import has_interval
from weft.base.table import ResultColumn, ResultTable
from weft.understand.curve.over_launches import over_launches
from weft.understand.curve.signature import LATENCY_MAX_BYTES, Signature


def _interval(name: str, label: str, spec: str = "") -> ResultColumn:
    return ResultColumn(name, label, Interval, over_launches(name), spec)


_COLUMNS = (
    ResultColumn("step", "step", int, shown="data"),
    _interval("latency_us", f"latency to {LATENCY_MAX_BYTES} B"),
    _interval("peak_mbps", "peak"),
    ResultColumn("peak_bytes", "peak at", int),
    _interval("half_power_bytes", "half power", ".0f"),
    _interval("knee_bytes", "knee", ".0f"),
    _interval("saturation_bytes", "saturation", ".0f"),
    ResultColumn("launches", "launches", int, shown="page"),
    ResultColumn("coverage_share", "coverage", read=lambda one: one.coverage, shown="data"),
)


def signatures_table(found: Sequence[Signature]) -> ResultTable:
    """A row for each signature; `coverage_share` is the confidence of the intervals."""
    return ResultTable.of("signatures", _COLUMNS, found)


def short_table(one: Signature) -> ResultTable:
    """The table of one signature; its title states the launches and the confidence, a remark what was not reached."""
    table = ResultTable.of(f"signature, {certainty(one)}", _COLUMNS, [one])
    missing = [each.label for each in table.columns if table.values(each.name) == [None]]
    return replace(table, remarks=[f"not reached: {', '.join(missing)}"] * bool(missing))


def certainty(one: Signature) -> str:
    """The number of launches, and the probability that an interval contains the median, in words."""
    if one.launches < 2:
        return "1 launch, so nothing is known about the spread between launches"
    if not has_interval(one.launches):
        return f"{one.launches} launches, too few for an interval"
    return f"{one.launches} launches, ranges cover the median with {100 * one.coverage:.0f} %"
