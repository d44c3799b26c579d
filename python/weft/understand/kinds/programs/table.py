"""Programs as tables: how the nodes spent their time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from weft.base.quantity import number
from weft.base.table import ResultColumn, ResultTable
from weft.plan.pattern import Collective, Interference
from weft.plan.plan import Step
from weft.runs.meta import RunMeta
from weft.understand.ensemble.activities import PhaseActivity


def activities_tables(found: Sequence[PhaseActivity], meta: RunMeta) -> Iterator[ResultTable]:
    """A table for each program that was replayed; collectives and interference have too many phases."""
    for one in found:
        step = meta.plan.steps[one.step]
        if not isinstance(step.pattern, (Collective, Interference)):
            took = (
                f"{number(one.elapsed_ms)} ms over {one.nodes} nodes, the last is {one.last_node}"
            )
            yield ResultTable.of(
                f"{_name(step, one)}: {took}", _columns(one.elapsed_ms), one.shares
            )


def _name(step: Step, one: PhaseActivity) -> str:
    """The step, with its size if it has several."""
    sizes = getattr(step.sizes, "bytes", ())
    return f"{step.name}, {one.size_bytes} B" if one.size_bytes > 1 or len(sizes) > 1 else step.name


def _columns(whole_ms: float) -> tuple[ResultColumn, ...]:
    part = 1 / whole_ms if whole_ms else 0.0
    return (
        ResultColumn("kind", "activity", str),
        ResultColumn("median_ms", "median"),
        ResultColumn("worst_ms", "worst"),
        ResultColumn("worst_node", "at", str),
        ResultColumn("of_time_share", "of the time", read=lambda one: part * one.median_ms),
    )
