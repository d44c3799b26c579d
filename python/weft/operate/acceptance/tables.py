"""The verdicts of an acceptance as a table."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from weft.base.interval import Interval
from weft.base.table import ResultColumn, ResultTable
from weft.operate.acceptance.decide import text_of
from weft.operate.acceptance.verdict import RequirementVerdict


def measured_text(one: RequirementVerdict) -> str:
    """The worst measured value with its interval, or what was observed."""
    if one.measured is None:
        return "" if one.status == "not decided" else "; ".join(one.evidence[:1])
    return text_of(one.measured, one.unit)


def _elements(one: RequirementVerdict) -> Any:
    return [symptom.element for symptom in one.symptoms]


def _causes(one: RequirementVerdict) -> Any:
    return [cause.title for cause in one.causes]


_VERDICTS = (
    ResultColumn("status", "status", str, shown="data"),
    ResultColumn("verdict", "verdict", str, lambda one: one.marked_status),
    ResultColumn("title", "required", str),
    ResultColumn("seen", "measured: worst, with its interval", str, measured_text),
    ResultColumn("requirement", "key", str, shown="page"),
    ResultColumn("measured", "measured, in the row's unit", Interval, shown="data"),
    ResultColumn("limit", "limit, in the row's unit", shown="data"),
    ResultColumn("unit", "unit", str, shown="data"),
    ResultColumn("elements", "what is wrong", tuple, _elements, shown="data"),
    ResultColumn("causes", "likely causes", tuple, _causes, shown="data"),
    ResultColumn("would_decide", "would decide it", str, shown="data"),
    ResultColumn("doubts", "doubts", tuple, shown="data"),
)


def verdicts_table(verdicts: Iterable[RequirementVerdict]) -> ResultTable:
    """A row for each requirement."""
    return ResultTable.of("requirements", _VERDICTS, verdicts)
