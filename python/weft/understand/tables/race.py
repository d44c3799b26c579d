"""The candidates of a race as a table."""

from __future__ import annotations

from weft.base.interval import Interval
from weft.base.table import ResultColumn, ResultTable
from weft.understand.race.outcome import RaceOutcome
from weft.understand.race.words import place_text, race_lines, race_title

PLACES = (
    ResultColumn("name", "candidate", str),
    ResultColumn("blocks", "blocks", int),
    ResultColumn("ratio", "ratio", Interval, spec=".3f"),
    ResultColumn("why", "why it was dropped", str, place_text),
)


def race_table(found: RaceOutcome) -> ResultTable:
    """A row for each candidate, the best first."""
    places = sorted(found.places, key=lambda one: -one.ratio.median if one.ratio else -1.0)
    return ResultTable.of(race_title(found), PLACES, places, race_lines(found))
