"""Routes and phases of runs between many nodes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from runs import affine_us, launches_of, step_plan, step_rows, write_run
from weft.diagnose.curve import curves, message_times_us
from weft.diagnose.routes import phases, routes
from weft.diagnose.signature import signature

MATRIX = {"name": "m", "pattern": {"kind": "matrix", "measure": "rate"}, "transport": "tcp"}


def without_messages(rows: pa.RecordBatch, at: list[int]) -> pa.RecordBatch:
    messages = rows.column("messages").to_numpy().copy()
    messages[at] = 0
    columns = [*rows.columns]
    columns[rows.schema.get_field_index("messages")] = pa.array(messages)
    return pa.RecordBatch.from_arrays(columns, schema=rows.schema)


@pytest.mark.filterwarnings("error")
def test_where_nothing_arrived_the_rate_is_zero(tmp_path: Path) -> None:
    rows = without_messages(step_rows([1000], np.full((1, 1, 3), 10.0), "matrix"), [0, 1])
    run = write_run(tmp_path / "run", [rows], [MATRIX])
    assert message_times_us(run).tolist() == [np.inf, np.inf, 10.0]
    assert routes(run)[0].rate_mbps.median == 0.0
    assert phases(run)[0].rate_mbps == 0.0


def test_a_matrix_of_latencies_times_round_trips(tmp_path: Path) -> None:
    step = {**MATRIX, "pattern": {"kind": "matrix", "measure": "latency"}}
    rows = step_rows([1], np.full((1, 1, 1), 10.0), "matrix")
    assert message_times_us(write_run(tmp_path / "run", [rows], [step])).tolist() == [5.0]


def test_steps_between_many_nodes_are_no_curves(tmp_path: Path) -> None:
    sizes = [1, 1000]
    times_us = launches_of(affine_us(sizes, 10.0, 100.0))
    rows = [step_rows(sizes, times_us, "matrix"), step_rows(sizes, times_us, step=1)]
    run = write_run(tmp_path / "run", rows, [MATRIX, step_plan()])
    assert [curve.step for curve in curves(run)] == [1]
    alone = write_run(tmp_path / "alone", rows[:1], [MATRIX])
    assert curves(alone) == []
    assert signature(alone) is None
