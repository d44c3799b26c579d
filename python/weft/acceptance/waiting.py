"""How long agents were ready to run while their processors ran something else: other work on a node."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from weft.runs.folder import Run
from weft.runs.tables import EVIDENCE_NAME

WAITING, ELAPSED = "process_waiting_ns", "elapsed_ns"


def waiting_above_others(run: Run) -> dict[str, float]:
    """By node the share of the time that its agent waited, less that of most nodes; empty without such evidence."""
    sums = {name: _sums(run, name) for name in (WAITING, ELAPSED)}
    shares = {
        str(run.meta.nodes[node]["name"]): sums[WAITING].get(node, 0) / elapsed
        for node, elapsed in sums[ELAPSED].items()
        if elapsed
    }
    if not sums[WAITING] or not shares:
        return {}
    usual = float(np.median(list(shares.values())))
    return {name: share - usual for name, share in shares.items()}


def _sums(run: Run, counter: str) -> dict[int, int]:
    """A counter of the whole run, by node."""
    evidence = run.side_table(EVIDENCE_NAME)
    mine = evidence.filter(pc.equal(evidence["counter"].cast(pa.string()), counter))
    sums = mine.group_by("node").aggregate([("value", "sum")])
    return dict(zip(sums["node"].to_pylist(), sums["value_sum"].to_pylist(), strict=True))
