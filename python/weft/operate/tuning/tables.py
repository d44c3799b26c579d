"""The candidates of a tuning's races as a table."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from weft.base.interval import Interval
from weft.base.table import ResultColumn, ResultTable
from weft.operate.tuning.tuning import RaceSummary


def _of_place(name: str) -> Any:
    return lambda pair: getattr(pair[1], name)


_CANDIDATES = (
    ResultColumn("race", "race", str, lambda pair: pair[0].choice.name, shown="data"),
    ResultColumn("candidate", "candidate", str, _of_place("name")),
    ResultColumn("ratio", "times as good", Interval, _of_place("ratio"), ".3f"),
    ResultColumn("blocks", "blocks", int, _of_place("blocks")),
    ResultColumn(
        "dropped_after", "dropped after block", int, _of_place("dropped_after"), shown="page"
    ),
    ResultColumn("why", "why", str, _of_place("why")),
)


def candidates_table(raced: Iterable[RaceSummary], *, baselines: bool = True) -> ResultTable:
    """A row for each candidate of each race; the baseline, with which the others are compared, has no ratio."""
    first = 0 if baselines else 1
    pairs = [(one, place) for one in raced for place in one.result.places[first:]]
    return ResultTable.of("candidates", _CANDIDATES, pairs)
