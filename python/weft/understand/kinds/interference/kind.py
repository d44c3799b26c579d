"""Interference as a kind of results."""

from __future__ import annotations

from collections.abc import Sequence

from weft.base.quantity import format_bytes
from weft.understand.kinds.interference.slow_down import SlowDown, slow_downs
from weft.understand.kinds.interference.table import SLOW_DOWN, interference_table, short_table
from weft.understand.kinds.interference.trials import WHOLE
from weft.understand.kinds.kind import ResultKind, by_step


def _clause(found: Sequence[SlowDown]) -> str:
    """The congestor that slows the victim down most."""
    worst = max(found, key=lambda one: one.slow_down.median)
    ends = "" if worst.covered >= WHOLE else ", which ended before it"
    return (
        f"{worst.victim} of {format_bytes(worst.size_bytes)} over {worst.victim_nodes} nodes takes at most "
        f"{SLOW_DOWN.cell(SLOW_DOWN.of(worst))} times as long beside others: beside {worst.congestor} on "
        f"{worst.congestor_nodes} nodes{ends}"
    )


INTERFERENCE = ResultKind(
    name="interference",
    title="Interference",
    results=slow_downs,
    clause=_clause,
    tables=lambda found, _: {"interference": interference_table(found)},
    short_tables=lambda *of: [short_table(*of)],
    named=by_step,
    notes={
        "interference": "Slow-downs are how many times longer the victim takes than alone, by the median, the mean and "
        "the 99th percentile of its times. Brackets enclose the median of the launches by their ranks."
    },
)
