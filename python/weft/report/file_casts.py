"""The casts of files of runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from weft.diagnosis.file_casts import FileCast, file_casts
from weft.diagnosis.tables.casts import came_to, casts_table, name_of, nodes_table
from weft.report.table import PageTable
from weft.runs.folder import Run
from weft.table import ResultTable


@dataclass(frozen=True)
class FileCastStep:
    """One cast of one run, under a label that no other has."""

    label: str
    run: Run
    cast: FileCast

    @property
    def findings(self) -> str:
        """What it came to, in a clause."""
        one = self.cast
        if one.rate_mbps is None or one.elapsed_ms is None:
            return "no node has the file"
        failed = ", ".join(each["node"] for each in one.record["failed"])
        missing = f"; not to {failed}" if failed else ""
        slow = f"; {one.slow.text}" if one.slow else ""
        return f"a file {came_to(one)}{missing}{slow}"


def file_cast_steps_of(names: Sequence[str], runs: Sequence[Run]) -> list[FileCastStep]:
    """Those of all runs, in their order."""
    named = zip(names, runs, strict=True)
    return [step for name, run in named for step in _of_run(name, run)]


def _of_run(name: str, run: Run) -> Iterator[FileCastStep]:
    for cast in file_casts(run):
        yield FileCastStep(f"{name} · {name_of(cast, run.meta)}", run, cast)


def cast_rows(steps: Sequence[FileCastStep]) -> PageTable:
    """A row for each cast."""
    return PageTable.of(ResultTable.joined([(one.label, casts_table([one.cast])) for one in steps]))


def cast_node_rows(steps: Sequence[FileCastStep]) -> PageTable:
    """A row for each node of each cast."""
    named = [
        (one.label.partition(" · ")[0], nodes_table([one.cast], one.run.meta)) for one in steps
    ]
    return PageTable.of(ResultTable.joined(named))
