"""What-ifs as tables: the effect of each alternative, and the measurements of labs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from weft.base.interval import Interval
from weft.base.table import ResultColumn, ResultTable
from weft.decisions.what_if.result import Check, PredictedEffect, WhatIfResult
from weft.runs.run_warnings import in_doubt


def place(one: PredictedEffect | Check) -> str:
    """The plan, and its step if that has another name."""
    return one.plan if one.plan == one.step else f"{one.plan} {one.step}"


def is_point(value: Interval) -> bool:
    """Whether its ends differ only by rounding."""
    return value.high - value.low <= 1e-6 * abs(value.median)


def effects_table(found: WhatIfResult) -> ResultTable:
    """All steps and sizes of all alternatives. `speedup` is the ratio of speeds; `is_clear` if its interval excludes 1.
    A terminal shows times for effects on times, rates for effects on rates."""
    columns = (
        ResultColumn("plan", "plan", str, shown="data"),
        ResultColumn("step", "step", str, shown="data"),
        *_PLACE,
        _interval("speedup", "times as fast"),
        ResultColumn("is_clear", "clear", bool, shown="page"),
        *_ends(found, "time", "ms", "s"),
        *_ends(found, "rate", "mbps", "mbps"),
        *(_interval(f"{what}_s", what, shown="data") for what in ("before", "after")),
    )
    effects = [(one.name, ResultTable.of("", columns, one.effects)) for one in found.outcomes]
    return ResultTable.joined(effects, "Effects", "alternative")


def checks_tables(found: WhatIfResult) -> Iterator[ResultTable]:
    """A table for each alternative that was verified."""
    for one in found.outcomes:
        if seen := one.verification:
            launches = f"{seen.launches} launch{'es' if seen.launches > 1 else ''} of each"
            title = f"{one.name}: labs at scale {seen.scale:g}, {launches}"
            yield ResultTable.of(in_doubt(title, seen.doubts), _CHECKS, seen.checks)


def _ends(found: WhatIfResult, by: str, unit: str, kept: str) -> Iterator[ResultColumn]:
    """Before and after in `unit`, from values stored in the unit `kept`; a terminal shows only the interval of the
    difference."""
    is_by = any(each.by == by for one in found.outcomes for each in one.effects)
    for what, spec, shown in (
        ("before", "", "median"),
        ("after", "", "page" if found.is_measured else "median"),
        ("difference", "+.4g", "everywhere"),
    ):
        where = shown if is_by else "page"
        yield _interval(f"{what}_{unit}", what, f"{what}_{kept}", spec=spec, shown=where)


def _interval(name: str, label: str, kept: str = "", **how: Any) -> ResultColumn:
    factor = 1e3 if kept.endswith("_s") else 1.0

    def read(one: PredictedEffect | Check) -> Interval:
        value: Interval = getattr(one, kept or name).scaled(factor)
        return Interval(*[value.median] * 3) if is_point(value) else value

    return ResultColumn(name, label, Interval, read, **how)


_PLACE = (
    ResultColumn("of", "of", str, place),
    ResultColumn("size_bytes", "size", int),
)
_CHECKS = (
    *_PLACE,
    _interval("predicted", "predicted"),
    _interval("measured", "measured"),
    ResultColumn("error_share", "off by", read=lambda one: one.error, spec="+.1f"),
    ResultColumn("is_opposed", "other direction", bool, lambda one: not one.same_sign),
)
