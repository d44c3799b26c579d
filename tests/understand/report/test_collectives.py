"""Collectives on the page: what is said of them, and what an MPI library's default costs."""

from dataclasses import replace
from pathlib import Path

from support.made.computed import compute
from weft.understand.kinds.collectives.collected import CollectiveTiming
from weft.understand.kinds.collectives.kind import COLLECTIVES
from weft.understand.report.applications import ApplicationSection
from weft.understand.report.page import Report
from weft.understand.report.verdict import verdict


def test_a_run_of_collectives_has_sentences_and_tables(tmp_path: Path) -> None:
    """A simulation has no library; one algorithm takes its place."""
    run = compute(tmp_path / "run", "collectives", "sim:crossbar(hosts=4)")
    assert "allreduce over 4 nodes is fastest by recursive-doubling at 8 B" in verdict(run)
    report = Report([run])
    assert report.empty_runs == []
    (section,) = report.sections
    ((title, table, _),) = section.tables
    assert title == "Collectives" and len(table.rows) > 60
    assert f"<summary>Collectives ({len(table.rows)})" in report.html()
    steps = [
        replace(step, results=[_as_library(one) for one in step.results]) for step in section.steps
    ]
    _, (_, library, note) = ApplicationSection(COLLECTIVES, steps).tables
    assert list(library.rows[0][:4]) == ["run", "allreduce", "4", "8"] and "Below 1" in note
    assert all(row[5] != "library" and float(row[7]) > 0 for row in library.rows)
    assert len(library.rows) == 10


def _as_library(one: CollectiveTiming) -> CollectiveTiming:
    return replace(one, algorithm="library") if one.algorithm == "binomial" else one
