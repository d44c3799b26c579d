"""Races as a kind of results."""

from __future__ import annotations

import msgspec

from weft.runs.folder import RunFolder
from weft.understand.kinds.kind import ResultKind
from weft.understand.kinds.race.outcome import RaceOutcome, stand
from weft.understand.kinds.race.table import race_table


def _results(run: RunFolder) -> list[RaceOutcome]:
    found = stand(run.meta, run.samples)
    return [found[1]] if found else []


RACE = ResultKind(
    name="race",
    title="Races",
    results=_results,
    named=lambda found, _: [("", [one]) for one in found],
    tables=lambda found, _: {"race": race_table(found[0])} if found else {},
    short_tables=lambda _, found, __: map(race_table, found),
    document=lambda found: {"race": msgspec.to_builtins(found[0]) if found else None},
    of_run=True,
)
