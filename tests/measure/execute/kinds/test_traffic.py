"""Traffic simulations on simulated networks: the same cars for any number of nodes, and what the exchange takes."""

from pathlib import Path
from typing import Any

import pytest

from support.made.computed import compute
from support.refusals import refused
from weft import _core
from weft.measure.execute.request import resume_run
from weft.measure.testbed.computed.network import SimulatedNetwork
from weft.plan.load import load_plan
from weft.plan.plan import to_json
from weft.runs.folder import RunFolder
from weft.understand.comparison.comparison import compare
from weft.understand.report.page import write_report
from weft.understand.summary.summary import summarise

SMALL = {
    "links": "400",
    "cars": "4000",
    "from_second": "300",
    "seconds": "60",
    "counts": "[1, 2, 4, 16]",
}


def drive(
    folder: Path, on: str = "sim:xibalba-maintenance", scale: float = 1.0, **keys: str
) -> RunFolder:
    settings = {f"steps__*__{key}": value for key, value in {**SMALL, **keys}.items()}
    return compute(folder, "traffic", on, scale=scale, **settings)


def test_cars_are_the_same_for_any_number_of_nodes_on_any_network(tmp_path: Path) -> None:
    found = [
        summarise(drive(tmp_path / name, f"sim:{name}")).results["traffic"]
        for name in ("xibalba-maintenance", "xibalba-myrinet")
    ]
    bottleneck, even = (
        {one.hash for run in found for one in run if one.step == at} for at in (0, 1)
    )
    assert len(bottleneck) == len(even) == 1 and bottleneck != even
    assert [one.nodes for one in found[0] if one.step == 0] == [1, 2, 4, 16]
    for one in found[0]:
        assert one.home + one.waiting + one.driving + one.arrived == 4000
    # A seed is a day, and the plan's is the one that the library simulates by itself.
    step = load_plan("traffic", [(f"steps.*.{key}", value) for key, value in SMALL.items()]).steps[
        1
    ]
    assert {_core.simulate_traffic(to_json(step), 3, 360)["hash"]} == even


def test_a_node_alone_takes_what_its_cars_do_and_more_nodes_wait(tmp_path: Path) -> None:
    run = drive(tmp_path / "run", compute='"1 ms"', cars="40000")
    for one in summarise(run).results["traffic"]:
        alone = 60 / (one.passed * 1e-3)
        if one.nodes == 1:
            assert one.real_time_ratio == pytest.approx(alone, rel=1e-6)
            assert one.share == {"compute": 1.0, "communicate": 0.0, "wait": 0.0}
        else:
            assert 1.2 < one.real_time_ratio / alone < one.nodes
            assert one.share["wait"] > 0.02 and sum(one.share.values()) == pytest.approx(1.0)


def test_the_scale_of_the_run_scales_cars_and_what_each_takes(tmp_path: Path) -> None:
    whole = summarise(drive(tmp_path / "whole", counts="[1]")).results["traffic"]
    tenth = summarise(drive(tmp_path / "tenth", scale=0.1, counts="[1]")).results["traffic"]
    for one, other in zip(whole, tenth, strict=True):
        assert other.driving + other.arrived + other.home + other.waiting == 400
        assert other.real_time_ratio == pytest.approx(one.real_time_ratio, rel=0.2)


def test_of_many_messages_every_so_many_th_step_is_carried_out(tmp_path: Path) -> None:
    all_steps = summarise(drive(tmp_path / "all", counts="[16]")).results["traffic"]
    some = summarise(drive(tmp_path / "some", counts="[16]", messages="1000")).results["traffic"]
    for one, other in zip(all_steps, some, strict=True):
        assert (one.carried, one.seconds) == (60, 60) and other.carried < 30
        assert (other.hash, other.messages) == (one.hash, one.messages)
        assert other.real_time_ratio == pytest.approx(one.real_time_ratio, rel=0.25)


def test_wrong_traffic_is_refused_before_a_folder_is_made(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    with refused("step 'bottleneck': car 0 has no route: from link"):
        drive(folder, closed="[440]")
    with refused("closed: there is no link 999; there are 442"):
        drive(folder, closed="[999]")
    with refused("counts has 200 nodes, and there are 128"):
        drive(folder, counts="[200]")
    with refused("must be 8 B to 64 KiB"):
        drive(folder, car='"4 B"')
    with refused("is a traffic, which is between nodes"):
        drive(folder, "node:p4-400-base")
    assert not folder.exists()


def test_an_interrupted_run_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = drive(tmp_path / "whole")
    drive_on = SimulatedNetwork.drive

    def stops(self: SimulatedNetwork, step: Any, first: int, last: int) -> Any:
        if step.name == "even":
            raise KeyboardInterrupt
        return drive_on(self, step, first, last)

    monkeypatch.setattr(SimulatedNetwork, "drive", stops)
    assert drive(tmp_path / "run").meta.status != "complete"
    monkeypatch.undo()
    resumed = resume_run(str(tmp_path / "run"))
    assert resumed.meta.status == "complete"
    assert summarise(resumed).results["traffic"] == summarise(whole).results["traffic"]


def test_runs_are_compared_and_drawn(tmp_path: Path) -> None:
    slow, fast = (
        drive(tmp_path / name, f"sim:{name}") for name in ("xibalba-maintenance", "two-racks")
    )
    pairs = compare(slow, fast).points
    assert {one.pattern for one in pairs} == {f"traffic over {n} nodes" for n in (2, 4, 16)}
    assert max(one.ratio.median for one in pairs) <= 1.01
    page = tmp_path / "report.html"
    write_report([slow, fast], page)
    text = page.read_text()
    assert "Traffic simulation: real-time ratio over nodes" in text
    assert "times faster than real time, of which nodes compute" in text
