"""Collectives as a kind of results."""

from __future__ import annotations

from collections.abc import Sequence

from weft.runs.folder import RunFolder
from weft.understand.ensemble.activities import activities
from weft.understand.kinds.collectives.collected import (
    CollectiveTiming,
    collectives,
    has_collectives,
)
from weft.understand.kinds.collectives.library_cost import library_costs
from weft.understand.kinds.collectives.table import collectives_table, library_table, short_table
from weft.understand.kinds.kind import ResultKind


def _results(run: RunFolder) -> list[CollectiveTiming]:
    return collectives(run.meta, activities(run)) if has_collectives(run.meta) else []


def _clause(found: Sequence[CollectiveTiming]) -> str:
    """The best algorithms at the smallest and at the largest size."""
    best = [one for one in found if one.times_best == 1.0]
    first, last = (f"{one.algorithm} at {one.size_bytes:,} B" for one in (best[0], best[-1]))
    ends = first if first == last else f"{first}, {last}"
    return f"{best[0].operation} over {best[0].nodes} nodes is fastest by {ends}"


COLLECTIVES = ResultKind(
    name="collectives",
    title="Collectives",
    results=_results,
    clause=_clause,
    tables=lambda found, _: {
        "collectives": collectives_table(found),
        "library": library_table(library_costs(found)),
    },
    short_tables=lambda *of: [short_table(*of)],
    also=("library",),
    notes={
        "library": "The fastest of the other algorithms is carried out by agents over TCP. Below 1 the library is "
        "faster. The best was chosen by the same times, so its own may be a little too good."
    },
    document=lambda found: {"collectives": found, "library_costs": library_costs(found)},
)
