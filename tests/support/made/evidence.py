"""Evidence tables for tests: what a run recorded, and what counters grew by beside samples that the test chooses."""

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from weft.runs.columns.table_file import write_table
from weft.runs.columns.tables import EVIDENCE_NAME, SCHEMAS
from weft.runs.folder import RunFolder

Counter = tuple[int, str, int | None]
"""Node, counter, processor."""
ORDER = ("step", "launch", "phase", "batch", "node")

Batch = tuple[int, int, int, int]
"""Step, launch, phase, number."""


def rows_of(run: RunFolder, counter: str) -> pa.Table:
    """What was recorded of one counter."""
    rows = run.side_table(EVIDENCE_NAME)
    return rows.filter(pc.equal(rows["counter"].cast(pa.string()), counter))


def total(rows: pa.Table) -> int:
    """The sum of all values."""
    return pc.sum(rows["value"]).as_py() or 0


def recorded_batches(run: RunFolder, node: int) -> list[Batch]:
    """The batches that the stretches of a node have, each as often as one has it."""
    times = rows_of(run, "elapsed_ns")
    return [
        (one["step"], one["launch"], one["phase"], batch)
        for one in times.filter(pc.equal(times["node"], node)).to_pylist()
        for batch in range(one["batch"], one["batch"] + one["batches"])
    ]


def measured_batches(samples: pa.Table) -> set[Batch]:
    """The batches of samples."""
    rows = samples.to_pylist()
    return {(one["step"], one["launch"], one["phase"], one["batch"]) for one in rows}


def add_evidence(run: RunFolder, counters: Mapping[Counter, npt.ArrayLike]) -> None:
    """One stretch for each row of the samples of a run between two nodes: its time, and these counters' growth."""
    samples = run.samples
    elapsed_ns = samples["elapsed_ns"].to_numpy()
    times: dict[Counter, npt.ArrayLike] = {
        (node, "elapsed_ns", None): elapsed_ns for node in (0, 1)
    }
    keys = {name: samples[name] for name in ("step", "phase", "launch", "batch")}
    tables = []
    for (node, counter, cpu), values in (times | dict(counters)).items():
        value = np.broadcast_to(np.asarray(values).astype(np.int64), len(samples))
        own = {"batches": 1, "node": node, "counter": counter, "cpu": cpu}
        columns = {name: pa.array([one] * len(samples)) for name, one in own.items()}
        rows = pa.table({**keys, **columns, "value": value})
        tables.append(
            rows.select(SCHEMAS[EVIDENCE_NAME].names)
            .cast(SCHEMAS[EVIDENCE_NAME])
            .filter(value != 0)
        )
    # As a run writes it, launch by launch: each change of the launch ends a row group.
    whole = pa.concat_tables(tables).sort_by([(name, "ascending") for name in ORDER])
    write_table(whole, run.directory / EVIDENCE_NAME)
