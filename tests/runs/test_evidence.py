"""Evidence in a run folder: kept beside the samples that it belongs to, and no other."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from support.made.synthetic import write_run
from weft.measure.execute.evidence import EvidenceLog
from weft.measure.testbed.agent.reply import NotRead, RecordReply
from weft.measure.testbed.agent.wire_format import Evidence
from weft.runs.columns.tables import EVIDENCE_NAME, SCHEMAS
from weft.runs.folder import RunFolder, RunWriter, lock_folder

SIZES = [1, 1024]
SCHEMA = SCHEMAS[EVIDENCE_NAME]


def rows(launch: int, phase: int, value: int) -> pa.Table:
    """One counter of one batch at node 1."""
    row = dict.fromkeys(SCHEMA.names, 0)
    row |= {"launch": launch, "phase": phase, "node": 1, "batches": 1, "value": value}
    return pa.Table.from_pylist([row | {"counter": "elapsed_ns", "cpu": None}], schema=SCHEMA)


def resumed(folder: Path) -> RunWriter:
    return RunWriter.resume(RunFolder.open(folder), lock_folder(folder))


def values(folder: Path) -> list[Any]:
    return RunFolder.open(folder).side_table(EVIDENCE_NAME)["value"].to_pylist()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A run whose phases 0 and 1 of each launch have samples."""
    return write_run(tmp_path / "r", sizes=SIZES).directory


def test_what_a_killed_run_recorded_is_kept_by_the_one_that_resumes_it(folder):
    killed = resumed(folder)
    killed.append_evidence(rows(0, 1, 11))
    killed.sync()
    killed._lock.release()
    assert values(folder) == [11]
    writer = resumed(folder)
    writer.append_evidence(rows(1, 1, 12))
    assert values(folder) == [11, 12]
    writer.finish("complete")
    assert values(folder) == [11, 12]
    assert not list(folder.glob("*.arrows*"))


def test_one_that_resumes_and_records_nothing_more_ends_the_stream(folder):
    killed = resumed(folder)
    killed.append_evidence(rows(0, 1, 11))
    killed.sync()
    killed._lock.release()
    resumed(folder).finish("complete")
    assert (folder / EVIDENCE_NAME).exists()
    assert not list(folder.glob("*.arrows*"))
    assert values(folder) == [11]


def test_without_samples_it_is_not_read_and_not_kept(folder):
    writer = resumed(folder)
    for launch, phase in ((0, 1), (0, 7), (99, 1)):
        writer.append_evidence(rows(launch, phase, phase))
    writer.finish("complete")
    assert values(folder) == [1]


def test_a_damaged_table_is_given_up_when_a_run_goes_on(folder):
    (folder / EVIDENCE_NAME).write_bytes(b"PAR1 nonsense")
    run = resumed(folder).finish("complete")
    assert values(folder) == []
    assert "evidence-lost" in [one.code for one in run.meta.warnings]


def test_rows_wait_for_the_samples_of_their_phase(folder):
    writer = resumed(folder)
    log = EvidenceLog(writer, 0, 0)
    of_agent = pa.concat_tables([rows(9, 0, 5), rows(9, 1, 6)]).drop_columns(
        ["step", "launch", "node"]
    )
    (batch,) = of_agent.combine_chunks().to_batches()
    log.take(1, Evidence(batch))
    log.phases_measured([1])
    assert values(folder) == [6]
    log.phases_measured([0])
    assert sorted(values(folder)) == [5, 6]
    log.take(0, Evidence(batch))
    assert sorted(values(folder)) == [5, 5, 6, 6]
    writer.finish("complete")


def test_the_counters_of_a_node_are_said_once_for_all_steps_that_have_them(folder):
    writer = resumed(folder)
    said = RecordReply(["elapsed_ns"], [NotRead("nstat:*", "no such file")])
    for step, launch in ((0, 0), (0, 1), (1, 0)):
        EvidenceLog(writer, step, launch).take(1, said)
    (entry,) = writer.meta.evidence
    assert entry["steps"] == [0, 1]
    assert entry["missing"] == [{"counters": "nstat:*", "reason": "no such file"}]
    writer.finish("complete")
