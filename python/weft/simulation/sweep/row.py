"""The results of a task: one row per step, size and point."""

from __future__ import annotations

from collections.abc import Iterable

import pyarrow as pa
from msgspec import Struct
from msgspec.structs import asdict

from weft.base.errors import WeftError
from weft.simulation.prediction.estimate import EstimatedPhases
from weft.simulation.prediction.programs import EstimatedProgram

SCHEMA = pa.schema(
    {
        "task": pa.string(),
        "point": pa.int32(),
        "step": pa.string(),
        "size_bytes": pa.int64(),
        "time_s": pa.float64(),
        "rate_mbps": pa.float64(),
        "relative_error": pa.float64(),
        "refusal": pa.string(),
        "hint": pa.string(),
        "latency_s": pa.float64(),
        "phases": pa.float64(),
    }
)


class SweepRow(Struct, frozen=True):
    """The result of a step at a size (see `weft.understand.summary.measures.StepMeasure`), by the task's key and the
    index of the point.
    `relative_error` is the standard error of the time if some phases represent all, `latency_s` the part of the time
    at the first point that does not depend on the size (0 at others). A task that cannot be simulated has one row with
    the reason in `refusal`."""

    task: str
    point: int
    step: str
    size_bytes: int
    time_s: float
    rate_mbps: float
    relative_error: float
    refusal: str = ""
    hint: str = ""
    latency_s: float = 0.0
    phases: float = 0.0
    """The number of phases of the step at this size, which run in sequence."""

    @classmethod
    def of(
        cls, task: str, point: int, phases: EstimatedPhases, ratio: float, latency_s: float = 0.0
    ) -> SweepRow:
        """The row of some phases, with times multiplied by `ratio`."""
        time_s, rate_mbps = phases.time_s * ratio, phases.rate_mbps / ratio
        ends = (phases.step, phases.size_bytes, time_s, rate_mbps)
        return cls(
            task,
            point,
            *ends,
            phases.relative_error,
            latency_s=latency_s,
            phases=float(phases.weights.sum()),
        )

    @classmethod
    def of_program(
        cls, task: str, point: int, one: EstimatedProgram, time_s: float, latency_s: float = 0.0
    ) -> SweepRow:
        """The row of a program that takes `time_s` at this point; its rate is that of its size in this time."""
        mbps = one.size_bytes * 8e-6 / time_s if time_s else 0.0
        ends = (one.step, one.size_bytes, time_s, mbps)
        return cls(task, point, *ends, 0.0, latency_s=latency_s, phases=1.0)

    @classmethod
    def refused(cls, task: str, why: WeftError) -> SweepRow:
        """The row of a task that cannot be simulated."""
        return cls(task, 0, "", 0, 0.0, 0.0, 0.0, why.message, why.hint)


def table_of(rows: Iterable[SweepRow]) -> pa.Table:
    """Rows as a table."""
    return pa.Table.from_pylist([asdict(row) for row in rows], SCHEMA)


def rows_of(table: pa.Table) -> list[SweepRow]:
    """The rows of a table."""
    return [SweepRow(**row) for row in table.to_pylist()]
