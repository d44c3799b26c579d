"""Phases of steps between many nodes as tables: all of them, and the slowest with similar ones merged."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from weft.base.alike import alike
from weft.base.nodeset import fold
from weft.base.table import ResultColumn, ResultTable
from weft.understand.ensemble.phases import PhaseResult

MOST_ROWS = 10
"""Longer lists are cut to the slowest; --json and the report have everything."""

LONGEST = 16
"""The most characters of a list of phases in a table."""

_NUMBERS = (
    ResultColumn("size_bytes", "size", int),
    ResultColumn("routes", "routes", int),
    ResultColumn("rate_mbps", "slowest"),
    ResultColumn("aggregate_mbps", "all"),
    ResultColumn("elapsed_ms", "took"),
)
_COLUMNS = (
    ResultColumn("step", "step", int, shown="data"),
    ResultColumn("pattern", "pattern", str, shown="data"),
    ResultColumn("phase", "phase", int),
    *_NUMBERS,
    ResultColumn("mean_mbps", "mean", shown="page"),
    ResultColumn("slowest_src", "waits for", str, lambda one: one.slowest[0], shown="page"),
    ResultColumn("slowest_dst", "to", str, lambda one: one.slowest[1], shown="page"),
)


def phases_table(phases: Sequence[PhaseResult]) -> ResultTable:
    """All phases; a phase lasts as long as its slowest route. `rate_mbps` is the rate of this route, `mean_mbps` the
    mean over routes, `aggregate_mbps` their sum."""
    return ResultTable.of("phases", _COLUMNS, phases)


def slowest_phases(phases: Sequence[PhaseResult]) -> ResultTable:
    """All phases of a step, or the slowest of many; phases whose numbers are displayed alike share a row."""
    is_short = len(phases) <= MOST_ROWS
    shown = phases if is_short else sorted(phases, key=lambda phase: phase.rate_mbps)
    groups = alike(shown, lambda one: tuple(column.cell(column.of(one)) for column in _NUMBERS))
    heading = "phase" if is_short else "slowest phases"
    columns = (
        ResultColumn("phase", heading, str),
        *_NUMBERS,
        ResultColumn("slowest", "waits for", str),
    )
    rows = [
        [
            numbered(one.phase for one in same),
            *(column.of(same[0]) for column in _NUMBERS),
            " > ".join(same[0].slowest) + (" ..." if len(same) > 1 else ""),
        ]
        for same in groups[:MOST_ROWS]
    ]
    return ResultTable(heading, columns, rows)


def numbered(values: Iterable[int]) -> str:
    """For example "0-62"; if that is too long, the count and the range."""
    found = sorted(set(values))
    text = fold(map(str, found)).strip("[]")
    return text if len(text) <= LONGEST else f"{len(found):,} of {found[0]}-{found[-1]}"
