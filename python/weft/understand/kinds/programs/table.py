"""Programs as tables: how the nodes spent their time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from weft.base.interval import Interval
from weft.base.quantity import number
from weft.base.table import ResultColumn, ResultTable
from weft.plan.pattern import Collective, Hpl, Interference, Traffic
from weft.plan.plan import Step
from weft.runs.meta import RunMeta
from weft.understand.ensemble.activities import PhaseActivity


def activities_tables(found: Sequence[PhaseActivity], meta: RunMeta) -> Iterator[ResultTable]:
    """A table for each program that was replayed; collectives and interference have too many phases."""
    for one in _few(found, meta):
        name = _name(meta.plan.steps[one.step], one)
        yield ResultTable.of(f"{name}: {took(one)}", _columns(one.elapsed_ms), one.shares)


def programs_table(found: Sequence[PhaseActivity], meta: RunMeta) -> ResultTable:
    """A row for each program of a step of which no other kind has results."""
    columns = (
        ResultColumn("name", "step", str, lambda one: meta.plan.steps[one.step].name, shown="data"),
        ResultColumn("size_bytes", "size", int),
        ResultColumn("nodes", "nodes", int),
        ResultColumn("elapsed_ms", "time", Interval, lambda one: one.elapsed),
        ResultColumn("last_node", "the last", str),
        *(_of_time(kind, label) for kind, label in LABELS.items()),
    )
    own = (Collective, Interference, Hpl, Traffic)
    rows = [one for one in found if not isinstance(meta.plan.steps[one.step].pattern, own)]
    return ResultTable.of("Programs", columns, rows)


LABELS = {"compute": "computing", "communicate": "communicating", "wait": "waiting"}
"""What kinds of activity are called in headings."""


def took(one: PhaseActivity) -> str:
    """ "1.92 ms over 4 nodes, the last is n1"."""
    return f"{number(one.elapsed_ms)} ms over {one.nodes} nodes, the last is {one.last_node}"


def _few(found: Sequence[PhaseActivity], meta: RunMeta) -> Iterator[PhaseActivity]:
    """Programs of steps with few phases."""
    many = (Collective, Interference)
    return (one for one in found if not isinstance(meta.plan.steps[one.step].pattern, many))


def _of_time(kind: str, label: str) -> ResultColumn:
    """The share of the time that the node in the middle spent so."""

    def read(one: PhaseActivity) -> float:
        middle_ms = next(share.median_ms for share in one.shares if share.kind == kind)
        return middle_ms / one.elapsed_ms if one.elapsed_ms else 0.0

    return ResultColumn(f"{kind}_share", label, read=read)


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
