"""A path that swallows large packets is named from what TCP said of the stalled connection, and nothing else is."""

from pathlib import Path

import numpy as np
import pytest

from support.plans import a_step
from support.runs import change_meta, launches_of, step_rows, write_run
from weft.faces.api.diagnose import diagnose
from weft.plan.pattern import Pingpong, Stream
from weft.runs.folder import RunFolder
from weft.runs.records.records import Stall
from weft.understand.explain.finding import Explanation

SIZES = [64, 512, 1024, 2048, 65536]
STUCK: Stall = {
    "step": 0,
    "launch": 0,
    "node": "n1",
    "segment_bytes": 1448,
    "unacknowledged": 2,
    "resends": 5,
    "unanswered_ms": 9000,
}
WAITS: Stall = {**STUCK, "node": "n2", "unacknowledged": 0, "resends": 0, "unanswered_ms": 600}
GONE: Stall = {**WAITS, "unanswered_ms": 9000}
AGAIN: Stall = {**STUCK, "launch": 1}
ONCE: Stall = {**STUCK, "resends": 1}


def stalled(folder: Path, stalls: list[Stall], passed: int = 3) -> RunFolder:
    """A ping-pong that ended after the first sizes."""
    rows = step_rows(SIZES[:passed], launches_of(np.full(passed, 100.0)))
    step = a_step(Pingpong(), sizes=SIZES)
    return write_run(folder / "run", [rows], [step], stalls=stalls)


def holes(run: RunFolder) -> list[Explanation]:
    return [one for one in diagnose(run.directory).explanations if one.cause == "path-mtu-hole"]


def test_a_segment_that_never_passes_while_probes_are_answered_is_a_hole(tmp_path: Path) -> None:
    (one,) = holes(stalled(tmp_path, [STUCK, WAITS]))
    assert (one.kind, one.nodes, one.sizes_bytes) == ("limit", ("n1",), (2048, 65536))
    assert one.text == (
        "pingpong: n1: the path swallows packets of 1500 B, not those of 1076: a segment of 1448 B "
        "was sent again 5 times in a row and never acknowledged, messages of 1024 B passed"
    )


@pytest.mark.parametrize(
    ("stalls", "passed"),
    [
        ([STUCK, GONE], 3),  # a dead link answers nothing
        ([STUCK], 3),
        ([ONCE, WAITS], 3),
        ([WAITS], 3),  # a stopped process: its kernel acknowledges all that fits
        ([STUCK, WAITS], 4),  # full segments have passed
    ],
)
def test_other_stalls_are_no_hole(tmp_path: Path, stalls: list[Stall], passed: int) -> None:
    assert holes(stalled(tmp_path, stalls, passed)) == []


def test_connections_of_two_launches_are_proof_without_probes(tmp_path: Path) -> None:
    assert len(holes(stalled(tmp_path, [STUCK, AGAIN]))) == 1


def test_a_hole_names_the_segment_the_kernels_probing_and_the_mtu(tmp_path: Path) -> None:
    facts = {
        "settings": {"mtu_probing": 0},
        "interfaces": [{"name": "eth0", "addresses": ["10.0.0.1"]}],
        "devices": {"eth0": {"mtu_bytes": 1500}},
    }
    nodes = [{"name": name, "address": "10.0.0.1", "facts": facts} for name in ("n1", "n2")]
    testbed = {"kind": "ssh", "name": "a,b", "spec": "ssh:a,b"}
    run = stalled(tmp_path, [STUCK, WAITS])
    change_meta(run.directory, nodes=nodes, testbed=testbed)
    found = diagnose(run.directory).recommendations
    assert [(one.knob, one.nodes, one.current, one.proposed) for one in found] == [
        ("mss", ("n1",), "", "1024 B"),
        ("tcp_mtu_probing", ("n1",), "0", "1"),
        ("mtu", ("n1",), "1500", "1076"),
    ]
    assert {one.test for one in found} == {"weft check --on ssh:a,b"}


@pytest.mark.parametrize(("arrived", "expected"), [((100, 99, 0, 0), 1), ((100, 50, 20, 0), 0)])
def test_datagrams_that_all_vanish_above_a_size_are_a_hole(
    tmp_path: Path, arrived: tuple[int, ...], expected: int
) -> None:
    sizes = [64, 1024, 1400, 1472]
    row = {"step": 0, "launch": 0, "duplicated": 0, "reordered": 0, "overrun": 0, "jitter_ns": 0}
    deliveries = [
        row | {"phase": phase, "sent": 100, "received": count, "sending_ns": 10**6}
        for phase, count in enumerate(arrived)
    ]
    step = a_step(Stream(window=64), transport="udp", sizes=sizes)
    rows = step_rows(sizes, launches_of(np.full(4, 100.0)), pattern="stream")
    found = holes(write_run(tmp_path / "run", [rows], [step], deliveries=deliveries))
    assert len(found) == expected
    assert all("all 200 datagrams of 1400 B and more were lost" in one.text for one in found)
