"""What is recorded beside samples: real agents on loopback."""

from pathlib import Path

import pyarrow.compute as pc
import pytest

from support.here import weft_json
from support.made.evidence import measured_batches, recorded_batches, rows_of, total
from weft.runs.columns.tables import EVIDENCE_NAME
from weft.runs.folder import RunFolder

pytestmark = pytest.mark.timed

PLAN = """
name = "recorded"
[[steps]]
pattern = "pingpong"
transport = "{transport}"
sizes = ["1 B", "4 KiB"]
stop = {{ rule = "count", repeats = 2000, trials = 4 }}
options = {{ evidence = {evidence} }}
"""


def measured(directory: Path, transport: str = "tcp", evidence: bool = True) -> RunFolder:
    """A run of four batches of two sizes between two agents here."""
    plan = directory / "plan.toml"
    plan.write_text(PLAN.format(transport=transport, evidence=str(evidence).lower()))
    out = directory / "run"
    weft_json("run", plan, "--on", "local:2", "--launches", "2", "--out", out)
    return RunFolder.open(out)


def test_both_ends_record_every_batch_that_counts_and_no_other(tmp_path: Path) -> None:
    run = measured(tmp_path)
    for node in (0, 1):
        assert sorted(recorded_batches(run, node)) == sorted(measured_batches(run.samples))


def test_the_numbers_are_those_of_the_messages(tmp_path: Path) -> None:
    run = measured(tmp_path)
    # Where the machine was busy, launches were measured again.
    batches = len(pc.unique(run.samples["launch"])) * 4
    messages, header = batches * 2000, 24
    for node in (0, 1):

        def of_large(counter: str, node: int = node) -> int:
            rows = rows_of(run, counter)
            of_size = pc.equal(rows["phase"], 1)
            return total(rows.filter(pc.and_(of_size, pc.equal(rows["node"], node))))

        sent = of_large("tcp_bytes_sent")
        assert messages * 4096 <= sent <= messages * 4096 + batches * header
        # Each sleeps once a message where it waits asleep, and each message needs a system call or two.
        assert of_large("process_system_ns") > 200 * messages
        assert of_large("elapsed_ns") >= pc.sum(
            run.samples.filter(pc.field("phase") == 1)["elapsed_ns"]
        ).as_py() * (1 - node / 20)
    names = {one["node"]: one for one in run.meta.evidence}
    assert set(names) == {node["name"] for node in run.meta.nodes}
    assert "nstat:TcpExtTCPTimeouts" in run.meta.evidence[0]["counters"]


def test_a_step_that_does_not_want_it_has_none(tmp_path: Path) -> None:
    run = measured(tmp_path, evidence=False)
    assert not (run.directory / EVIDENCE_NAME).exists()
    assert run.meta.evidence == []


@pytest.mark.parametrize("transport", ["udp", "unix", "shm", "tcp-striped", "null"])
def test_other_transports_have_what_applies(tmp_path: Path, transport: str) -> None:
    run = measured(tmp_path, transport)
    rows = run.side_table(EVIDENCE_NAME)
    nodes = {0} if transport == "null" else {0, 1}
    assert set(rows["node"].to_pylist()) == nodes
    assert total(rows_of(run, "elapsed_ns")) > 0
    assert bool(total(rows_of(run, "tcp_bytes_sent"))) == transport.startswith("tcp")
    has_tcp = "tcp_busy_ns" in run.meta.evidence[0]["counters"]
    assert has_tcp == transport.startswith("tcp")
