"""What held transfers back, where a run records it: a simulated one does."""

from __future__ import annotations

from dataclasses import dataclass

from weft.run.digests import Digests, sampled_steps
from weft.run.folder import Run
from weft.run.tables import BOTTLENECKS_NAME


@dataclass(frozen=True)
class Bottleneck:
    """A constraint that limited `transfers` of a step's transfers, `share` of them all."""

    step: int
    constraint: str
    transfers: int
    share: float


def bottlenecks(run: Run) -> list[Bottleneck]:
    """The constraints of each step, those first that limited most; nothing where a run does not record it."""
    sampled = sampled_steps(run.meta)
    rows = [row for row in _counted(run) if row[0] not in sampled]
    digests = Digests.of(run)
    for step in sampled:
        rows += [(step, *counts) for counts in digests.of_step(step).bottleneck_counts()]
    totals: dict[int, int] = {}
    for step, _, count in rows:
        totals[step] = totals.get(step, 0) + count
    return [
        Bottleneck(step, constraint, count, count / totals[step])
        for step, constraint, count in sorted(rows, key=lambda row: (row[0], -row[2], row[1]))
    ]


def _counted(run: Run) -> list[tuple[int, str, int]]:
    """Step, constraint and how many rows it held back, where the run has it for each row."""
    table = run.side_table(BOTTLENECKS_NAME)
    counted = table.group_by(["step", "bottleneck"]).aggregate([([], "count_all")])
    rows = counted.to_pylist()
    return [(row["step"], str(row["bottleneck"]), row["count_all"]) for row in rows]
