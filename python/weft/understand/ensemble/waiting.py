"""How long runnable agents waited for a processor."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa
import pyarrow.compute as pc

from weft.runs.columns.tables import EVIDENCE_NAME
from weft.runs.folder import RunFolder


def waiting_share(run: RunFolder, steps: Sequence[int]) -> float:
    """The share of the agents' time in the given steps that they waited for a processor; zero without evidence."""
    rows = run.side_table(EVIDENCE_NAME)
    rows = rows.filter(pc.is_in(rows["step"], pa.array(steps, pa.int32())))
    waiting, elapsed = (
        pc.sum(rows.filter(pc.equal(rows["counter"].cast(pa.string()), name))["value"]).as_py() or 0
        for name in ("process_waiting_ns", "elapsed_ns")
    )
    return waiting / elapsed if elapsed else 0.0
