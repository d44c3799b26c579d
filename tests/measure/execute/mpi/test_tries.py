"""Phases over MPI that were measured again, whose evidence cannot be told apart."""

import pyarrow as pa
import pytest

from weft.measure.execute.mpi.ensemble import _tried_once


def recorded(*phases: int) -> pa.Table:
    rows = [
        {"phase": phase, "batch": 0, "batches": 1, "counter": name, "cpu": None, "value": 5}
        for phase in phases
        for name in ("elapsed_ns", "process_user_ns")
    ]
    return pa.Table.from_pylist(rows)


@pytest.mark.parametrize(
    ("frames", "wanted"),
    [([(1, 2), (3,)], {1, 2, 3}), ([(1, 2), (2,)], {1}), ([(1,), (1,)], set())],
)
def test_only_phases_that_were_recorded_once_are_kept(
    frames: list[tuple[int, ...]], wanted: set[int]
) -> None:
    found = _tried_once([recorded(*phases) for phases in frames])
    assert {phase for one in found for phase in one.rows["phase"].to_pylist()} == wanted
