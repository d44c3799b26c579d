"""The steps of runs that are traffic simulations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from weft.diagnosis.tables.traffic import COMPUTE, RATIO, traffic_table
from weft.diagnosis.traffic import Driven, hashes_differ, traffic
from weft.report.table import PageTable
from weft.runs.folder import Run
from weft.table import ResultTable


@dataclass(frozen=True)
class TrafficStep:
    """One step of one run, under a label that no other has."""

    label: str
    run: Run
    phases: Sequence[Driven]

    @property
    def findings(self) -> str:
        """How fast it was over the most nodes, in a clause."""
        most = max(self.phases, key=lambda one: one.nodes)
        wrong = "; cars DIFFER between numbers of nodes" if hashes_differ(self.phases) else ""
        return (
            f"traffic over {most.nodes} nodes {RATIO.cell(RATIO.of(most))} times faster than real time, "
            f"of which nodes compute {COMPUTE.cell(COMPUTE.of(most))} %{wrong}"
        )


def traffic_steps_of(names: Sequence[str], runs: Sequence[Run]) -> list[TrafficStep]:
    """Those of all runs, in their order."""
    named = zip(names, runs, strict=True)
    return [step for name, run in named for step in _of_run(name, run)]


def _of_run(name: str, run: Run) -> Iterator[TrafficStep]:
    for step, phases in groupby(traffic(run), lambda one: one.step):
        yield TrafficStep(f"{name} · {run.meta.plan.steps[step].name}", run, list(phases))


def traffic_rows(steps: Sequence[TrafficStep]) -> PageTable:
    """A row for each number of nodes."""
    return PageTable.of(
        ResultTable.joined([(one.label, traffic_table(one.phases)) for one in steps])
    )
