"""What a page costs the node of a real web server."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa

from support.runs import launches_of, step_rows, write_run
from weft.runs.columns.tables import EVIDENCE_NAME, SCHEMAS
from weft.understand.kinds.loads.live_web import costs

SERVER = 1


def launch(number: int, counters: dict[str, int]) -> pa.Table:
    """Evidence of a launch, with names in the order in which its counters moved."""
    place = {"step": 0, "phase": 0, "launch": number, "batch": 0, "batches": 1, "node": SERVER}
    rows = [{**place, "counter": name, "value": value} for name, value in counters.items()]
    return pa.Table.from_pylist(rows, SCHEMAS[EVIDENCE_NAME])


def test_counters_that_moved_in_some_launches_only_are_of_these(tmp_path: Path) -> None:
    run = write_run(tmp_path, [step_rows([5000], launches_of([1.0], launches=2))])
    first = {"process_user_ns": 4_000_000, "elapsed_ns": 1_000_000_000}
    second = {"elapsed_ns": 1_000_000_000, "process_system_ns": 6_000_000}
    evidence = pa.concat_tables([launch(0, first), launch(1, second)])
    found = dict(
        costs(replace(run, in_memory={EVIDENCE_NAME: evidence}), 0, 0, [0, 1], np.full(2, 1000.0))
    )
    assert (found["server, user"].low, found["server, user"].high) == (0, 4)
    assert (found["server, system"].low, found["server, system"].high) == (0, 6)
