"""A twin as tables: its numbers, its errors on patterns that it had not seen, and its runs."""

from __future__ import annotations

from typing import Literal

from weft.base.table import ResultColumn, ResultTable
from weft.decisions.twin.twin import HeldOut, TwinDocument

_PARAMETERS = (
    ResultColumn("name", "parameter", str),
    ResultColumn("median", "median"),
    ResultColumn("low", "low"),
    ResultColumn("high", "high"),
    ResultColumn("unit", "unit", str),
    ResultColumn("is_identified", "known", bool, shown="page"),
    ResultColumn("why", "why", str),
)
_SOURCES = (
    ResultColumn("path", "run", str),
    ResultColumn("plan", "plan", str),
    ResultColumn("launches", "launches", int),
    ResultColumn("phases", "phases", int),
    ResultColumn("warnings", "warnings", str, lambda one: "; ".join(one.warnings)),
)
_HELD = {True: "held", False: "missed", None: "not known"}


def _off(kind: Literal["rate", "time"], label: str) -> tuple[ResultColumn, ResultColumn]:
    def error(one: HeldOut) -> float:
        return one.rate_error if kind == "rate" else one.time_error

    def held(one: HeldOut) -> str:
        return _HELD[one.rate_held if kind == "rate" else one.time_held]

    return (
        ResultColumn(f"{kind}_error_share", label, read=error, spec="+.1f"),
        ResultColumn(f"{kind}_held", f"interval of {kind}", str, held),
    )


_LEFT_OUT = (
    ResultColumn("pattern", "pattern", str),
    ResultColumn("phases", "phases", int),
    *_off("rate", "rate"),
    *_off("time", "time"),
)


def parameters_table(twin: TwinDocument) -> ResultTable:
    """Its numbers; `low` and `high` are the ends of 90 % intervals."""
    return ResultTable.of("Numbers, with 90 % intervals", _PARAMETERS, twin.parameters)


def left_out_table(twin: TwinDocument) -> ResultTable:
    """Measured over predicted, minus one, and whether it is in the 90 % interval; times are those of the slowest
    flow."""
    title = "Measured over predicted rate, and time of the slowest flow, each pattern by what fits all others"
    return ResultTable.of(title, _LEFT_OUT, twin.held_out)


def sources_table(twin: TwinDocument) -> ResultTable:
    """The runs from which it was made."""
    return ResultTable.of("Runs it was made of", _SOURCES, twin.sources)
