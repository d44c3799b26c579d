"""Collectives on the page: what is said of them, and what an MPI library's default costs."""

from dataclasses import replace
from pathlib import Path

from support.computed import compute
from weft.report.collectives import collective_rows, collective_steps_of, library_rows
from weft.report.page import Report
from weft.report.verdict import verdict


def test_a_run_of_collectives_has_sentences_and_tables(tmp_path: Path) -> None:
    """A simulation has no library; one algorithm takes its place."""
    run = compute(tmp_path / "run", "collectives", "sim:crossbar(hosts=4)")
    assert "allreduce over 4 nodes is fastest by recursive-doubling at 8 B" in verdict(run)
    report = Report([run])
    assert report.empty_runs == [] and not report.library_table.rows
    assert "Each algorithm at each size" in report.html()
    steps = collective_steps_of(["run"], [run])
    assert len(collective_rows(steps).rows) == len(report.collective_table.rows) > 60
    with_library = [
        replace(one, algorithm="library") if one.algorithm == "binomial" else one
        for one in steps[0].ways
    ]
    rows = library_rows([replace(steps[0], ways=with_library)]).rows
    assert list(rows[0][:4]) == ["run", "allreduce", "4", "8"]
    assert all(row[5] != "library" and float(row[7]) > 0 for row in rows) and len(rows) == 5
