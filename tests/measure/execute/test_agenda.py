"""Runs whose sizes end by themselves, with agents on loopback."""

from __future__ import annotations

import signal
import time

import pyarrow.compute as pc
import pytest
from msgspec.structs import replace

from support.command import start
from support.here import weft, weft_json
from support.live import loopback
from weft.base.sequential import LOOKS
from weft.plan.plan import Goal
from weft.runs.folder import RunFolder

pytestmark = pytest.mark.timed

ALWAYS = Goal("relative", 10**9, 60 * 10**9)
NEVER = Goal("relative", 0, 60 * 10**9)


def run(
    tmp_path, goal: Goal, launches: int = 1000, sizes: tuple[int, ...] = (1, 64, 4096)
) -> RunFolder:
    step = replace(loopback.step(list(sizes)), goal=goal)
    return loopback.live_run(tmp_path / "r", loopback.Loopback(2), step, launches=launches)


def test_what_is_known_at_the_first_look_needs_no_more(tmp_path):
    done = run(tmp_path, ALWAYS)
    assert done.meta.status == "complete"
    assert {(one["launches"], one["reason"]) for one in done.meta.stops} == {(LOOKS[0], "width")}
    assert len(pc.unique(done.samples["launch"])) == LOOKS[0]


def test_what_is_never_known_ends_with_the_time_and_is_complete(tmp_path):
    done = run(tmp_path, replace(NEVER, time_ns=400_000_000))
    assert done.meta.status == "complete"
    assert {one["reason"] for one in done.meta.stops} == {"time"}
    assert all(one["launches"] >= LOOKS[0] for one in done.meta.stops)
    last = RunFolder.open(tmp_path / "r")
    assert last.meta.stops == done.meta.stops


def test_the_most_launches_end_it_too(tmp_path):
    done = run(tmp_path, NEVER, launches=8)
    assert {(one["launches"], one["reason"]) for one in done.meta.stops} == {(8, "launches")}


def test_steps_end_each_by_itself(tmp_path):
    """One is known at the first look, the other never."""
    steps = [
        replace(loopback.step([1, 64]), name=name, goal=goal)
        for name, goal in (("quick", ALWAYS), ("slow", replace(NEVER, time_ns=60 * 10**9)))
    ]
    done = loopback.live_run(tmp_path / "r", loopback.Loopback(2), *steps, launches=14)
    by_step = [
        {one["launches"] for one in done.meta.stops if one["step"] == step} for step in (0, 1)
    ]
    assert by_step[0] == {LOOKS[0]}
    assert min(by_step[1]) > LOOKS[0] + 1
    assert done.meta.status == "complete"


def test_sizes_come_in_another_order_in_each_launch_but_the_first(tmp_path):
    sizes = tuple(range(1, 33))
    samples = run(tmp_path, ALWAYS, sizes=sizes).samples.sort_by("start_ns")
    orders = [
        samples.filter(pc.field("launch") == launch)["phase"].unique().to_pylist()
        for launch in range(LOOKS[0])
    ]
    assert orders[0] == list(range(32))
    assert all(sorted(order) == orders[0] for order in orders)
    assert len({tuple(order) for order in orders}) == LOOKS[0]


def test_sizes_beyond_the_longest_message_are_left_out_of_all_launches(tmp_path):
    done = run(tmp_path, replace(ALWAYS, time_ns=2_000_000), sizes=(1, 2**20, 2**24, 2**25))
    assert done.meta.status == "complete"
    by_launch = [
        set(done.samples.filter(pc.field("launch") == launch)["phase"].to_pylist())
        for launch in range(LOOKS[0])
    ]
    assert by_launch == [by_launch[0]] * LOOKS[0]
    assert 3 not in by_launch[0]


def test_a_run_that_is_interrupted_is_resumed_at_the_same_looks(tmp_path):
    folder = tmp_path / "r"
    process = start("run", "signature", "--on", "local:", "--out", folder, "--until", "6 s",
                    "--set", "steps.pingpong.sizes=['1 B', '1 KiB']")  # fmt: skip
    while not (folder / "run.json").exists() or _launches(folder) < 8:
        assert process.poll() is None
        time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    process.wait(30)
    partial = RunFolder.open(folder)
    assert (partial.meta.status, partial.meta.stops[0]["reason"]) == ("partial", "interrupted")
    before = _launches(folder)
    said = weft_json("run", "--resume", folder)
    assert said["status"] == "complete"
    assert _launches(folder) > before
    shown = weft("show", folder).stdout
    assert "ended when 6 s were over" in shown


def test_on_a_simulator_there_is_one_launch_and_show_says_so(tmp_path):
    weft_json("run", "signature", "--on", "sim:pair", "--out", tmp_path / "r")
    assert "one launch, since what is computed" in weft("show", tmp_path / "r").stdout
    assert {point["launches"] for point in weft_json("show", tmp_path / "r")["points"]} == {1}


def _launches(folder) -> int:
    return len(pc.unique(RunFolder.open(folder).samples["launch"]))
