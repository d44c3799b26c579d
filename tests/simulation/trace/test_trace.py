"""A message's way through simulated nodes, as trace events."""

import json
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import pytest

from support.here import refusal, weft, weft_json
from support.made.computed import compute
from weft.measure.testbed.computed.node import open_nodes
from weft.runs.folder import RunFolder
from weft.simulation.trace.chrome import trace_events, trace_text
from weft.simulation.trace.replay import record
from weft.understand.node.occupation import budgets, occupation

PLACEMENTS = ("base", "offload", "onload", "hybrid")
Event = dict[str, Any]

KEYS = {
    "B": {"ph", "name", "cat", "pid", "tid", "ts", "args"},
    "E": {"ph", "pid", "tid", "ts"},
    "s": {"ph", "name", "cat", "id", "pid", "tid", "ts"},
    "t": {"ph", "name", "cat", "id", "pid", "tid", "ts"},
    "f": {"ph", "name", "cat", "id", "bp", "pid", "tid", "ts"},
    "C": {"ph", "name", "pid", "tid", "ts", "args"},
    "M": {"ph", "name", "pid", "tid", "args"},
}
"""What each phase of an event has, after "Trace Event Format"."""


def run(tmp_path: Path, placement: str, plan: str = "netpipe", size: str = "8192 B") -> RunFolder:
    on = f"node:p4-400-{placement}"
    return compute(tmp_path / placement, plan, on, steps__0__sizes=f'["{size}"]')


def timed(events: list[Event]) -> list[Event]:
    return [event for event in events if event["ph"] != "M"]


def names(events: list[Event], kind: str) -> list[Event]:
    return [event for event in events if event["ph"] == "M" and event["name"] == kind]


@pytest.mark.parametrize("placement", PLACEMENTS)
@pytest.mark.parametrize("plan", ["netpipe", "stream"])
def test_every_event_is_one_of_the_format(tmp_path: Path, placement: str, plan: str) -> None:
    found = record(run(tmp_path, placement, plan), 8192)
    document = json.loads(trace_text(found))
    assert document["displayTimeUnit"] == "ns"
    events = document["traceEvents"]
    named = {(e["pid"], e["tid"]) for e in events if e["ph"] == "M" and e["name"] == "thread_name"}
    for event in events:
        assert set(event) == KEYS[event["ph"]], event
        assert isinstance(event["pid"], int) and isinstance(event["tid"], int)
        if event["ph"] in "BEstf":
            assert (event["pid"], event["tid"]) in named
        if event["ph"] == "C":
            assert all(isinstance(value, int) for value in event["args"].values())
    times = [event["ts"] for event in timed(events)]
    assert times == sorted(times) and times[0] >= 0


def spans(events: list[Event]) -> dict[tuple[int, int], list[tuple[str, float, float, Event]]]:
    """By track its slices; fails where they are not one behind the other."""
    found: dict[tuple[int, int], list[tuple[str, float, float, Event]]] = defaultdict(list)
    open_: dict[tuple[int, int], Event] = {}
    for event in timed(events):
        track = event["pid"], event["tid"]
        if event["ph"] == "B":
            assert track not in open_, "a slice in a slice"
            open_[track] = event
        elif event["ph"] == "E":
            begin = open_.pop(track)
            found[track].append((begin["name"], begin["ts"], event["ts"], begin))
    assert not open_
    return found


@pytest.mark.parametrize("placement", PLACEMENTS)
def test_slices_follow_one_another_and_flows_are_whole(tmp_path: Path, placement: str) -> None:
    events = trace_events(record(run(tmp_path, placement), 8192))
    assert spans(events)
    begun: set[int] = set()
    over: set[int] = set()
    at: dict[tuple[int, int], float] = {}
    for event in timed(events):
        track = event["pid"], event["tid"]
        if event["ph"] == "B":
            at[track] = event["ts"]
        if event["ph"] in "stf":
            assert at[track] == event["ts"], "an arrow outside of its slice"
            assert (event["id"] in begun) == (event["ph"] != "s") and event["id"] not in over
            begun.add(event["id"])
            over |= {event["id"]} if event["ph"] == "f" else set()
    assert begun == over and begun


@pytest.mark.parametrize("placement", PLACEMENTS)
@pytest.mark.parametrize("size", [1, 8192, 100_000])
def test_stages_sum_to_the_run_s_budget(tmp_path: Path, placement: str, size: int) -> None:
    done = run(tmp_path, placement, size=f"{size} B")
    events = trace_events(record(done, size))
    tracks = {e["args"]["name"]: (e["pid"], e["tid"]) for e in names(events, "thread_name")}
    trips = [one for one in spans(events)[tracks["round trips"]] if one[0] != "warm-up"]
    first = trips[0][1]
    sums: Counter[str] = Counter()
    for way in ("n1 to n2", "n2 to n1"):
        for stage, begin, _, event in spans(events)[tracks[way]]:
            if begin >= first:
                sums[stage] += event["args"]["ps"]
    (budget,) = budgets(done)
    for stage, stage_us in budget.stages_us.items():
        assert sums[stage] / len(trips) / 2 / 1e6 == pytest.approx(stage_us, rel=1e-9, abs=1e-9)
    whole = trips[-1][2] - trips[0][1]
    assert whole == pytest.approx(2 * len(trips) * budget.total_us, rel=1e-9)


def test_processors_are_busy_for_what_the_run_says(tmp_path: Path) -> None:
    """Looked at from beside: slices of each processor together are its share of the time."""
    done = run(tmp_path, "onload")
    events = trace_events(record(done, 8192))
    trips = [one for one in _track(events, "round trips") if one[0] != "warm-up"]
    begin, end = trips[0][1], trips[-1][2]
    for busy in occupation(done):
        if busy.part.startswith("cpu"):
            mine = _track(events, busy.part, node=busy.node)
            inside = sum(max(0.0, min(b, end) - max(a, begin)) for _, a, b, _ in mine)
            assert inside / (end - begin) == pytest.approx(busy.share, abs=1e-6), busy


def _track(events: list[Event], name: str, node: str = "") -> list[tuple[str, float, float, Event]]:
    groups = {e["pid"]: e["args"]["name"] for e in names(events, "process_name")}
    (track,) = [
        (e["pid"], e["tid"])
        for e in names(events, "thread_name")
        if e["args"]["name"] == name and node in groups[e["pid"]]
    ]
    return spans(events)[track]


def test_a_message_of_many_frames_is_preempted_and_its_frames_flow(tmp_path: Path) -> None:
    events = trace_events(record(run(tmp_path, "base", size="100000 B"), 100_000))
    put_off = [e for e in events if e["ph"] == "B" and e["args"].get("preempted")]
    assert {event["name"] for event in put_off} & {"copy in", "copy out", "protocol in"}
    kinds = Counter(event["name"] for event in events if event["ph"] == "s")
    # 100,000 B are 12 frames each way; the last of a message bears the message's flow.
    assert kinds["frame"] >= 22 and kinds["message"] >= 2


def test_a_trace_repeats_itself_and_leaves_the_run_alone(tmp_path: Path) -> None:
    done = run(tmp_path, "hybrid")
    before = {path: path.read_bytes() for path in done.directory.iterdir()}
    assert trace_text(record(done, 8192)) == trace_text(record(done, 8192))
    assert {path: path.read_bytes() for path in done.directory.iterdir()} == before


def test_the_command_writes_what_it_says(tmp_path: Path) -> None:
    done = run(tmp_path, "offload")
    said = weft_json("trace", done.directory, "--size", "8192")
    assert said["file"] == str(done.directory / "trace-8192.json") and not said["is_cut"]
    document = json.loads(Path(said["file"]).read_text())
    assert sum(e["ph"] == "B" and e["pid"] < 3 for e in document["traceEvents"]) == said["slices"]
    other = tmp_path / "other.json"
    assert weft("trace", done.directory, "--size", "8192", "--out", other).stdout == f"{other}\n"
    assert json.loads(other.read_text()) == document


def test_what_cannot_be_traced_is_refused(tmp_path: Path) -> None:
    done = run(tmp_path, "base")
    wrong = refusal("trace", done.directory, "--size", "8191")
    assert "has no messages of 8191 B" in wrong and "it has 8192 B" in wrong
    wrong = refusal("trace", done.directory, "--size", "8192", "--step", "2")
    assert "step 2: has no messages of 8192 B" in wrong
    fabric = compute(tmp_path / "sim", "netpipe", "sim:pair").directory
    wrong = refusal("trace", fabric, "--size", "1024")
    assert "ran on sim:pair" in wrong and "node:MACHINE" in wrong
    assert "not a run folder" in refusal("trace", tmp_path, "--size", "1")
    gammas = {"steps__0__gamma": '"0:1:0.5"'}
    loaded = compute(tmp_path / "loaded", "gamma-sweep", "node:p4-400-base", **gammas).directory
    assert "has application loads" in refusal("trace", loaded, "--size", str(256 << 10))
    # A machine that has changed, and a pattern that nodes do not have.
    path = done.directory / "run.json"
    whole = path.read_text()
    path.write_text(whole.replace("node:p4-400-base", "node:p4-400-offload"))
    wrong = refusal("trace", done.directory, "--size", "8192")
    assert "is not any more what was run" in wrong
    document = json.loads(whole)
    document["plan"]["steps"][0]["pattern"] = {"kind": "ring", "nodes": None}
    path.write_text(json.dumps(document))
    wrong = refusal("trace", done.directory, "--size", "8192")
    assert "is a ring; only pingpong and stream can be traced" in wrong


def test_looking_on_changes_nothing(tmp_path: Path) -> None:
    done = run(tmp_path, "base", "stream")
    found = record(done, 8192)
    (step,) = done.meta.plan.steps
    again = open_nodes("p4-400-base").simulate(step, 0, 1).samples(0, 0, 0)
    assert again["elapsed_ns"].to_pylist() == done.samples["elapsed_ns"].to_pylist()
    assert not len(found.passages["way"]) and len(found.slices["track"]) > 100
