"""The steps of runs that are interference, as sentences and as a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from weft.diagnosis.interference.slow_down import SlowDown, slow_downs
from weft.diagnosis.interference.trials import WHOLE
from weft.diagnosis.tables.interference import SLOW_DOWN, interference_table
from weft.quantity import format_bytes
from weft.report.table import PageTable
from weft.runs.folder import Run
from weft.table import ResultTable


@dataclass(frozen=True)
class InterferenceStep:
    """One step of one run, under a label that no other has."""

    label: str
    run: Run
    rows: Sequence[SlowDown]

    @property
    def findings(self) -> str:
        """What slows it down most, in a clause."""
        worst = max(self.rows, key=lambda one: one.slow_down.median)
        ends = "" if worst.covered >= WHOLE else ", which ended before it"
        return (
            f"{worst.victim} of {format_bytes(worst.size_bytes)} over {worst.victim_nodes} nodes takes at most "
            f"{SLOW_DOWN.cell(SLOW_DOWN.of(worst))} times as long beside others: beside {worst.congestor} on "
            f"{worst.congestor_nodes} nodes{ends}"
        )


def interference_steps_of(names: Sequence[str], runs: Sequence[Run]) -> list[InterferenceStep]:
    """Those of all runs, in their order."""
    return [
        InterferenceStep(f"{name} · {run.meta.plan.steps[step].name}", run, list(rows))
        for name, run in zip(names, runs, strict=True)
        for step, rows in groupby(slow_downs(run), lambda one: one.step)
    ]


def interference_rows(steps: Sequence[InterferenceStep]) -> PageTable:
    """A row for each size and congestor."""
    return PageTable.of(
        ResultTable.joined([(one.label, interference_table(one.rows)) for one in steps])
    )
