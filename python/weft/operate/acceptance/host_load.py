"""What hosts did while pairs were measured, compared with most hosts: work that is not the measurement's."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from weft.runs.columns.tables import EVIDENCE_NAME
from weft.runs.folder import RunFolder

ELAPSED = "elapsed_ns"
SHARES = {
    "waiting_above_others": ("process_waiting_ns",),
    "softirq_above_others": ("cpu_irq_ns", "cpu_softirq_ns"),
    "stolen_above_others": ("cpu_steal_ns",),
}
"""The counters behind each fact, of the agent or of the processor with the highest value."""


def above_others(run: RunFolder) -> dict[str, dict[str, float]]:
    """For each node and fact, the share of the time minus that of most nodes; facts without evidence are left out."""
    evidence = run.side_table(EVIDENCE_NAME)
    elapsed = _most_of_a_processor(evidence, (ELAPSED,))
    found: dict[str, dict[str, float]] = {}
    for fact, counters in SHARES.items():
        spent = _most_of_a_processor(evidence, counters)
        for node, share in _above(spent, elapsed).items():
            found.setdefault(str(run.meta.nodes[node]["name"]), {})[fact] = share
    return found


def _above(spent: Mapping[int, int], elapsed: Mapping[int, int]) -> dict[int, float]:
    shares = {node: spent.get(node, 0) / time for node, time in elapsed.items() if time}
    if not spent or not shares:
        return {}
    usual = float(np.median(list(shares.values())))
    return {node: share - usual for node, share in shares.items()}


def _most_of_a_processor(evidence: pa.Table, counters: tuple[str, ...]) -> dict[int, int]:
    """For each node, the counters of the whole run added up, on the processor with the highest sum."""
    mine = evidence.filter(pc.is_in(evidence["counter"].cast(pa.string()), pa.array(counters)))
    by_processor = mine.group_by(["node", "cpu"]).aggregate([("value", "sum")])
    most = by_processor.group_by("node").aggregate([("value_sum", "max")])
    return dict(zip(most["node"].to_pylist(), most["value_sum_max"].to_pylist(), strict=True))
