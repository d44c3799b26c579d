"""What agents record during one step and launch, on its way to the run folder."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

import pyarrow as pa
import pyarrow.compute as pc

from weft.measure.testbed.agent.agent import Recorded
from weft.measure.testbed.agent.reply import NotRead, RecordReply, StallReport
from weft.runs.columns.tables import EVIDENCE_NAME, SCHEMAS
from weft.runs.folder import RunWriter
from weft.runs.records import records
from weft.understand.host.disturbed import Tally

MOST_ROWS = 4_000_000
"""Most rows of a step and launch: 112 MB until the run ends."""


@dataclass
class EvidenceLog:
    """Writes evidence of phases that have samples, and drops that of others."""

    _writer: RunWriter
    _step: int
    _launch: int
    _tally: Tally = field(default_factory=Tally)
    _waiting: list[pa.Table] = field(default_factory=list)
    _measured: set[int] = field(default_factory=set)
    _written: int = 0

    def take(self, node: int, said: Recorded) -> None:
        """Take what a node recorded, or reports about recording."""
        if isinstance(said, RecordReply):
            self._note_counters(node, said)
        elif isinstance(said, StallReport):
            self._note_stall(node, said)
        else:
            self._append(self._placed(node, said.rows))

    def phases_measured(self, phases: Collection[int]) -> None:
        """The samples of these phases are about to be written to the run."""
        self._measured |= set(phases)
        waiting, self._waiting = self._waiting, []
        if waiting:
            self._append(pa.concat_tables(waiting).unify_dictionaries().combine_chunks())

    def _placed(self, node: int, rows: pa.RecordBatch) -> pa.Table:
        """Rows of an agent, with the columns that the agent does not know."""
        table = pa.Table.from_batches([rows])
        for name, value in (("step", self._step), ("launch", self._launch), ("node", node)):
            table = table.append_column(name, pa.repeat(pa.scalar(value, pa.int32()), len(table)))
        return table.select(SCHEMAS[EVIDENCE_NAME].names).cast(SCHEMAS[EVIDENCE_NAME])

    def _append(self, rows: pa.Table) -> None:
        """Write rows of phases that have samples; the others wait."""
        is_measured = pc.is_in(rows["phase"], pa.array(self._measured, pa.int32()))
        if ready := rows.filter(is_measured):
            self._write(ready)
        if early := rows.filter(pc.invert(is_measured)):
            self._waiting.append(early)

    def _write(self, rows: pa.Table) -> None:
        """Write rows in one go for many phases: searches between many nodes may have thousands."""
        if self._written > MOST_ROWS:
            return
        self._writer.append_evidence(rows)
        self._tally.add(rows)
        self._written += len(rows)
        if self._written > MOST_ROWS:
            phase = pc.max(rows["phase"]).as_py()
            reason = f"launch {self._launch + 1} has {MOST_ROWS:,} rows before phase {phase + 1}"
            self.leave_out(range(len(self._writer.meta.nodes)), reason)

    def leave_out(self, nodes: Iterable[int], reason: str) -> None:
        """Record why nodes record nothing (more) in this step."""
        for node in nodes:
            self._note_counters(node, RecordReply([], [NotRead("*", reason)]))

    def _note_stall(self, node: int, said: StallReport) -> None:
        """Record the state of the connection on which the step failed."""
        meta = self._writer.meta
        stall: records.Stall = {
            "step": self._step,
            "launch": self._launch,
            "node": str(meta.nodes[node]["name"]),
            "segment_bytes": said.segment_bytes,
            "unacknowledged": said.unacknowledged,
            "resends": said.resends,
            "unanswered_ms": said.unanswered_ms,
        }
        meta.stalls.append(stall)

    def _note_counters(self, node: int, said: RecordReply) -> None:
        """Record which counters a node reads, once for all steps in which they are the same."""
        meta = self._writer.meta
        name = meta.nodes[node]["name"]
        for known in meta.evidence:
            if said.counters and (known["node"], known["counters"]) == (name, said.counters):
                known["steps"] = sorted({*known["steps"], self._step})
                return
        missing: list[records.NotReadRecord] = [
            {"counters": one.counters, "reason": one.reason} for one in said.missing
        ]
        meta.evidence.append(
            {
                "node": name,
                "steps": [self._step],
                "counters": said.counters,
                "missing": missing,
            }
        )
