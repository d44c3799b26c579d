"""Streams between agents whose receiver computes: how much, what it takes, what is refused."""

import os
from pathlib import Path

import pytest

from base.test_table import check
from support.here import refusal, weft, weft_json
from weft.measure.execute.settle.settle import settle
from weft.measure.testbed.open import open_testbed
from weft.plan.load import load_plan
from weft.runs.folder import RunFolder
from weft.understand.kinds.loads.loaded import loaded_points

QUICK = ["--set", "launches=1", "--set", "steps.*.stop.trial='30 ms'"]
APART = pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="needs two processors")


@APART
@pytest.mark.timed
@pytest.mark.parametrize(("transport", "compute"), [("tcp", "read"), ("udp", "message")])
def test_a_receiver_computes_what_gamma_says(tmp_path: Path, transport: str, compute: str) -> None:
    size = "256 KiB" if transport == "tcp" else "1400 B"
    over = ["--transport", transport, "--set", f"steps.*.sizes=['{size}']"]
    over += ["--set", "steps.*.gamma=[0, 20]", "--set", f"steps.*.compute='{compute}'", *QUICK]
    weft_json("run", "gamma-sweep", "--on", "local:2", *over, "--out", tmp_path / "run")
    run = RunFolder.open(tmp_path / "run")
    plain, loaded = loaded_points(run)
    assert plain.live and loaded.live
    assert plain.gamma_done == 0 and 10 < loaded.gamma_done < 40
    assert loaded.throughput_mbps < plain.throughput_mbps
    receiver, per_message = run.meta.nodes[1]["name"], loaded.live.processor_ns
    work_ns = loaded.gamma_done * loaded.host_share * loaded.size_bytes
    assert per_message[receiver]["user"] > 0 and work_ns > 0
    assert bool(loaded.live.lost_pct) == (transport == "udp")
    shown = weft("show", tmp_path / "run").stdout
    assert "whose receiver computes" in shown and "p = " in shown
    check(run, {"loads", "processors"})


@pytest.mark.parametrize(
    ("over", "said"),
    [
        (("--transport", "mpi"), '"udp" or another over which agents receive'),
        (("--set", "steps.*.options.wait='spin'"), "a receiver that spins is always busy"),
        (("--set", "steps.*.options.evidence=false"), "leaves out the processor time"),
        (("--gamma", "0:1e9:1e9"), "at most 1000 where it is measured"),
        (("--cpus", "0,0"), "both ends of the stream are on processor 0"),
    ],
)
def test_what_cannot_be_measured_is_refused(over: tuple[str, ...], said: str) -> None:
    assert said in refusal("run", "gamma-sweep", "--on", "local:2", *over)


@pytest.mark.parametrize(("processors", "is_said"), [({0, 1}, True), ({0, 1, 2}, False)])
def test_two_processors_are_too_few_to_move_protocol_processing(
    monkeypatch: pytest.MonkeyPatch, processors: set[int], is_said: bool
) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: processors)
    with open_testbed("local:2") as testbed:
        _, notes = settle(load_plan("onload", []), testbed, None)
    assert ("few-processors" in [one.code for one in notes]) == is_said
