"""The steps of runs that are Linpack, as sentences and as a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from weft.diagnosis.linpack import Solution, solutions
from weft.diagnosis.tables.linpack import GFLOPS, linpack_table
from weft.report.table import PageTable
from weft.runs.folder import Run
from weft.table import ResultTable


@dataclass(frozen=True)
class LinpackStep:
    """One step of one run, under a label that no other has."""

    label: str
    run: Run
    solution: Solution

    @property
    def findings(self) -> str:
        """How fast it was, in a clause."""
        one = self.solution
        what = f"Linpack of {one.n:,} unknowns over {one.nodes} nodes ({one.grid})"
        if one.gflops is None:
            return f"{what} has no right solution"
        kind = "" if one.is_real else ", its skeleton"
        return f"{what} at {GFLOPS.cell(GFLOPS.of(one))} {GFLOPS.unit}{kind}"


def linpack_steps_of(names: Sequence[str], runs: Sequence[Run]) -> list[LinpackStep]:
    """Those of all runs, in their order."""
    named = zip(names, runs, strict=True)
    return [
        LinpackStep(f"{name} · {one.name}", run, one)
        for name, run in named
        for one in solutions(run)
    ]


def linpack_rows(steps: Sequence[LinpackStep]) -> PageTable:
    """A row for each step."""
    return PageTable.of(
        ResultTable.joined([(one.label, linpack_table([one.solution])) for one in steps])
    )
