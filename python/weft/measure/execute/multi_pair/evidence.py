"""What several agents of each node record at once, summed up by node on its way to the run."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from weft.measure.execute.evidence import EvidenceLog
from weft.measure.testbed.agent.agent import Recorded
from weft.measure.testbed.agent.wire_format import Evidence
from weft.runs.columns.tables import GAUGES

OF_ONE = ["elapsed_ns", *sorted(GAUGES)]
"""Columns taken from the first pair alone; all others add up, since only its agents record what the host does."""


@dataclass
class PairEvidence:
    """The evidence of one arrangement of pairs; one timing of all pairs is one stretch."""

    _log: EvidenceLog
    _pairs: int
    _rows: tuple[list[pa.Table], list[pa.Table]] = field(default_factory=lambda: ([], []))
    _kept: dict[int, int] = field(default_factory=dict)

    def take(self, node: int, pair: int, said: Recorded) -> None:
        """Take what the agent of a node and pair recorded."""
        if isinstance(said, Evidence):
            rows = pa.Table.from_batches([said.rows])
            rows = rows.set_column(
                rows.column_names.index("counter"), "counter", rows["counter"].cast(pa.string())
            )
            if pair:
                rows = rows.filter(pc.invert(pc.is_in(rows["counter"], pa.array(OF_ONE))))
            self._rows[node].append(rows)
        elif pair == 0:
            self._log.take(node, said)

    def keep(self, tried: int, trial: int) -> None:
        """Assign the samples of a try to a trial of its phase, counted from 0."""
        self._kept[2 * tried] = trial

    def write(self) -> None:
        """Hand on what was recorded in the tries that were kept."""
        for node, tables in enumerate(self._rows):
            for batch in self._summed(tables).to_batches() if tables else ():
                self._log.take(node, Evidence(batch))

    def _summed(self, tables: list[pa.Table]) -> pa.Table:
        keys = ["phase", "batch", "batches", "counter", "cpu"]
        table = pa.concat_tables(tables)
        table = table.filter(pc.is_in(table["batch"], pa.array(self._kept, pa.int32())))
        table = table.group_by(keys).aggregate([("value", "sum")]).rename_columns([*keys, "value"])
        first = [self._kept[one] * self._pairs for one in table["batch"].to_pylist()]
        table = table.set_column(1, "batch", pa.array(first, pa.int32()))
        batches = pa.array(np.full(len(table), self._pairs), pa.int32())
        return table.set_column(2, "batches", batches).combine_chunks()
