"""Programs of nodes, such as halos and traces, as a kind of results."""

from __future__ import annotations

from weft.understand.ensemble.activities import PhaseActivity, activities
from weft.understand.kinds.kind import ResultKind
from weft.understand.kinds.programs.table import activities_tables

PROGRAMS: ResultKind[PhaseActivity] = ResultKind(
    name="activities",
    title="Programs",
    results=activities,
    tables=lambda _, __: {},
    short_tables=lambda _, found, meta: activities_tables(found, meta),
    of_run=True,
)
