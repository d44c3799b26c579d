"""A step that casts a file, and what it records in the run."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from weft.measure.execute.crew import Crew, living
from weft.measure.execute.file_cast.cast import CastOutcome, FileCastEngine
from weft.measure.execute.file_cast.settle import job_of, nodes_in_order
from weft.measure.execute.logbook import Logbook
from weft.measure.execute.pair import StepJob
from weft.measure.testbed.agent.reply import CastProgress
from weft.plan.pattern import Cast
from weft.runs.columns.tables import CASTS_NAME, SCHEMAS
from weft.runs.records import records
from weft.runs.samples import SCHEMA

PHASE = 0
"""The only phase of such a step."""


async def run_file_cast(crew: Crew, job: StepJob, logbook: Logbook) -> None:
    """Cast the file once; raises AgentError if the source fails, and TooFewNodes."""
    if PHASE not in job.phases:
        return
    logbook.forget(job.phases)
    order = nodes_in_order(job.step, len(job.nodes))
    crew.need(order[:1])
    for node in sorted(set(order) & crew.lost.keys()):
        logbook.node_missing(node, crew.lost[node].reason, is_told=True)
    living(logbook, set(order), crew)
    outcome = await FileCastEngine(crew, order, job, logbook).run()
    _Record(job, logbook, outcome, order[0]).write()


class _Record:
    """Writes the outcome of a cast to the run."""

    def __init__(self, job: StepJob, logbook: Logbook, outcome: CastOutcome, source: int) -> None:
        self._job, self._logbook, self._outcome = job, logbook, outcome
        self._source = source
        self._size_bytes = job_of(job.step, "", is_source=True).size_bytes

    def write(self) -> None:
        self._write_table()
        self._write_meta()
        for node, why in sorted(self._outcome.failed.items()):
            self._logbook.phase_incomplete(PHASE, [node], f"{self._logbook.name(node)}: {why}")
        self._logbook.phases_measured([PHASE], self._samples())

    def _receivers(self) -> list[int]:
        """The nodes that have the file, without the source."""
        return [node for node in sorted(self._outcome.hashes) if node != self._source]

    def _samples(self) -> list[pa.RecordBatch]:
        rows = [
            {
                "step": self._job.step_index,
                "phase": PHASE,
                "launch": self._job.launch,
                "batch": 0,
                "src": self._outcome.sources[node],
                "dst": node,
                "size_bytes": self._size_bytes,
                "messages": 1,
                "start_ns": self._outcome.start_ns,
                "elapsed_ns": self._since_start(self._outcome.spent[node].whole_ns),
            }
            for node in self._receivers()
        ]
        return [pa.RecordBatch.from_pylist(rows, schema=SCHEMA)]

    def _since_start(self, at_ns: int | None) -> int | None:
        return None if at_ns is None else at_ns - self._outcome.start_ns

    def _write_table(self) -> None:
        before = self._logbook.writer.stored_table(CASTS_NAME)
        key: dict[str, int | None]
        key = {"step": self._job.step_index, "launch": self._job.launch}
        mine = [pc.equal(before[name], value) for name, value in key.items()]
        others = before.filter(pc.invert(pc.and_(*mine)))
        rows = [
            key | {"phase": PHASE} | self._row(node, spent)
            for node, spent in sorted(self._outcome.spent.items())
        ]
        table = pa.Table.from_pylist(rows, schema=SCHEMAS[CASTS_NAME])
        self._logbook.writer.write_table(CASTS_NAME, pa.concat_tables([others, table]))

    def _row(self, node: int, spent: CastProgress) -> dict[str, int | None]:
        (received, received_second), (sent, sent_second) = spent.received_bytes, spent.sent_bytes
        same = ("read", "receive", "write", "forward", "wait", "blocked")
        return {
            "node": node,
            "src": self._outcome.sources.get(node),
            **{f"{name}_ns": getattr(spent, f"{name}_ns") for name in same},
            "size_bytes": self._size_bytes,
            "held_bytes": spent.held_bytes,
            "received_bytes": received,
            "received_second_bytes": received_second,
            "sent_bytes": sent,
            "sent_second_bytes": sent_second,
            "damaged": spent.damaged,
            "first_ns": self._since_start(spent.first_ns),
            "last_ns": self._since_start(spent.last_ns),
            "whole_ns": self._since_start(spent.whole_ns),
        }

    def _write_meta(self) -> None:
        file, names = self._job.step.pattern_as(Cast).file, self._logbook.name
        assert file
        record: records.FileCastRecord = {
            "step": self._job.step_index,
            "launch": self._job.launch,
            "file": file.path,
            "to": str(file.to),
            "size_bytes": self._size_bytes,
            "hash": self._outcome.hashes.get(self._source, ""),
            "whole": [names(node) for node in self._receivers()],
            "failed": [
                {"node": names(node), "reason": why}
                for node, why in sorted(self._outcome.failed.items())
            ],
            "bridged": [names(node) for node in self._outcome.bridged],
        }
        key = (record["step"], record["launch"])
        meta = self._logbook.meta
        meta.casts = [one for one in meta.casts if (one["step"], one["launch"]) != key]
        meta.casts.append(record)
