"""Numbers per message out of counters, by hand."""

import re
from pathlib import Path

import pyarrow as pa
import pytest

from support.here import weft, weft_json
from support.made.evidence import add_evidence
from support.made.synthetic import write_run
from support.runs import sample_batch
from weft.runs.columns.tables import EVIDENCE_NAME, SCHEMAS
from weft.runs.folder import RunFolder, RunWriter, lock_folder
from weft.runs.records.records import EvidenceRecord as Recorded
from weft.understand.host.evidence import EvidencePoints, evidence

COUNTERS = {
    "elapsed_ns": 20_000_000,
    "process_user_ns": 20_000,
    "process_system_ns": 80_000,
    "process_voluntary_switches": 3,
    "softirq_net_rx": 40,
    "interrupts:eth0-rx": 5,
    "softnet_dropped": 2,
    "tcp_busy_ns": 18_000_000,
    "tcp_receive_window_limited_ns": 10_000_000,
    "tcp_send_buffer_limited_ns": 2_000_000,
    "tcp_rtt_ns": 70_000,
}
"""Of each of five batches."""
READ = [*COUNTERS, "process_involuntary_switches", "tcp_retransmits"]


def note(meta):
    missing = [{"counters": "pressure_io_ns", "reason": "no such file"}]
    for node in ("n1", "n2"):
        one: Recorded = {"node": node, "steps": [0], "counters": READ, "missing": missing}
        meta.evidence.append(one)


@pytest.fixture
def run(tmp_path: Path) -> RunFolder:
    """Three launches of five ping-pong batches at one size; node n2 of the second launch used twice as much."""
    made = write_run(tmp_path / "r", sizes=[100], launches=3, change=note)
    writer = RunWriter.resume(made, lock_folder(made.directory))
    writer.append_evidence(pa.Table.from_pylist(list(rows()), schema=SCHEMAS[EVIDENCE_NAME]))
    return writer.finish("complete")


def rows():
    for launch in range(3):
        for node in (0, 1):
            for batch, batches in ((0, 1), (1, 4)):
                place = {"step": 0, "phase": 0, "launch": launch, "node": node}
                factor = batches * (2 if (launch, node) == (1, 1) else 1)
                for counter, value in COUNTERS.items():
                    grown = value if counter == "tcp_rtt_ns" else value * factor
                    cpu = 1 if counter == "softirq_net_rx" else None
                    stretch = {"batch": batch, "batches": batches, "cpu": cpu, "value": grown}
                    yield place | stretch | {"counter": counter}


def found_at(found: EvidencePoints, node: str):
    (point,) = (one for one in found.points if one.node == node)
    return point


def test_counts_are_of_one_message_one_way(run):
    per_launch = run.samples.to_pylist()
    messages = [
        2 * sum(row["messages"] for row in per_launch if row["launch"] == launch)
        for launch in range(3)
    ]
    point = found_at(evidence(run), "n1")
    wanted = sorted(5 * 20_000 / count for count in messages)
    user = point.measures["user_ns"]
    assert [user.low, user.median, user.high] == pytest.approx(wanted)
    assert point.launches == 3 and point.size_bytes == 100
    system_to_user = point.measures["system_ns"].median / user.median
    assert system_to_user == pytest.approx(4)
    assert point.measures["ns_per_byte"].median == pytest.approx(5 * user.median / 100)
    assert point.measures["switches"].median == pytest.approx(user.median * 3 / 20_000)
    assert point.measures["interrupts"].median == pytest.approx(user.median * 5 / 20_000)
    assert point.counters["tcp_rtt_ns"].median == 70_000
    other = found_at(evidence(run), "n2").measures["user_ns"]
    assert other.high == pytest.approx(5 * 40_000 / messages[1])


def test_what_limited_tcp_is_a_share_of_the_time(run):
    measures = found_at(evidence(run), "n1").measures
    names = ("receive_window_share", "send_buffer_share", "network_share")
    assert [measures[name].median for name in names] == pytest.approx([0.5, 0.1, 0.3])
    assert measures["drops"].median == 10
    assert measures["retransmits"].median == 0


def test_ticks_of_short_launches_say_nothing(tmp_path):
    run = write_run(tmp_path / "r", sizes=[100], change=note)
    add_evidence(run, {(0, "tcp_busy_ns", None): run.samples["elapsed_ns"]})
    measures = found_at(evidence(run), "n1").measures
    assert "network_share" not in measures and "retransmits" in measures


def test_what_was_not_read_has_no_number_and_is_said_once(run):
    assert "softirq_ns" not in found_at(evidence(run), "n1").measures
    shown = weft("show", run.directory, "--evidence").stdout
    assert len(re.findall(r"pressure_io_ns \(no such file\)", shown)) == 2, "once for each node"
    assert "resent: all 0" in shown
    document = weft_json("show", run.directory, "--evidence")
    assert {one["node"] for one in document["evidence"]} == {"n1", "n2"}


def test_batches_that_pin_a_jump_are_listed_by_size(tmp_path):
    def note(meta):
        one: Recorded = {"node": "n1", "steps": [0], "counters": READ, "missing": []}
        meta.evidence.append(one)
        for launch, phase, size in PINS:
            meta.phases.append(
                {
                    "step": 0,
                    "launch": launch,
                    "phase": phase,
                    "size_bytes": size,
                    "purpose": "side",
                    "bisects": {"start": [10, 20], "role": "side", "sizes": [10, 15, 20]},
                    "stop": {"rule": "count", "repeats": 1, "trials": 1},
                    "transfers": [],
                }
            )

    made = write_run(tmp_path / "r", sizes=[10, 20], launches=2, change=note)
    writer = RunWriter.resume(made, lock_folder(made.directory))
    columns = list(zip(*PINS, strict=True))
    writer.append(sample_batch(launch=columns[0], phase=columns[1], size_bytes=columns[2]))
    place = {"step": 0, "batch": 0, "batches": 1, "node": 0, "cpu": None}
    recorded = [
        place | {"launch": launch, "phase": phase, "counter": "elapsed_ns", "value": 1000}
        for launch, phase, _ in PINS
    ]
    writer.append_evidence(pa.Table.from_pylist(recorded, schema=SCHEMAS[EVIDENCE_NAME]))
    points = evidence(writer.finish("complete")).points
    assert [(one.size_bytes, one.launches) for one in points] == [(15, 2), (17, 1)]


PINS = [(0, 2, 15), (0, 3, 15), (1, 2, 17), (1, 3, 15)]
"""Launch, phase, size: both launches number their phases from 2 on."""


def test_a_run_without_it_says_so(tmp_path):
    old = write_run(tmp_path / "r", sizes=[1])
    assert evidence(old).points == []
    shown = weft("show", old.directory, "--evidence").stdout
    assert shown == "nothing was recorded beside these samples\n"
