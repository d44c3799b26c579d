"""Traffic simulations carried out by agents: the same cars as in one process, and messages that were sent."""

import os
import signal
from pathlib import Path

import pytest

from support.command import start
from support.here import weft_json
from support.live.four_hosts import write_four_hosts
from support.live.waiting import wait_for, wait_for_agents
from weft import _core
from weft.plan.load import load_plan
from weft.plan.plan import to_json
from weft.runs.folder import RunFolder
from weft.understand.summary.summary import summarise

pytestmark = pytest.mark.timed

SMALL = {"links": "400", "cars": "20000", "from_second": "200", "counts": "[1, 2, 3, 4]"}


def asked(folder: Path, testbed: str, **keys: str) -> list[str]:
    settings = [f"steps.*.{key}={value}" for key, value in {**SMALL, **keys}.items()]
    sets = [word for one in settings for word in ("--set", one)]
    return ["run", "traffic", "--on", testbed, "--out", str(folder), "--json", *sets]


def hashes(keys: dict[str, str], seconds: int) -> list[str]:
    steps = load_plan("traffic", [(f"steps.*.{key}", value) for key, value in keys.items()]).steps
    return [_core.simulate_traffic(to_json(step), 1, seconds)["hash"] for step in steps]


def test_agents_simulate_the_same_cars_as_one_process(tmp_path: Path) -> None:
    testbed = f"lab:{write_four_hosts(tmp_path)}"
    run = asked(tmp_path / "run", testbed, seconds="20", compute='"2 ms"')
    assert weft_json(*run)["status"] == "complete"
    found = summarise(RunFolder.open(str(tmp_path / "run"))).results["traffic"]
    for at, right in enumerate(hashes(SMALL, 220)):
        mine = [one for one in found if one.step == at]
        assert [(one.nodes, one.hash) for one in mine] == [(n, right) for n in (1, 2, 3, 4)]
        for one in mine:
            assert one.home + one.waiting + one.driving + one.arrived == 20_000
            assert sum(one.share.values()) == pytest.approx(1.0) and one.share["compute"] > 0.2
            # No faster than its cars take, shared by all nodes.
            assert one.real_time_ratio < one.nodes * 20 / (one.passed * 2e-3)
            assert (one.messages > 0) == (one.nodes > 1)


def test_a_node_that_dies_leaves_what_others_can_do(tmp_path: Path) -> None:
    testbed = f"lab:{write_four_hosts(tmp_path)}"
    run = asked(tmp_path / "run", testbed, seconds="40", compute='"4 ms"', counts="[4, 2]")
    process = start(*run)
    # Agents that looked at the nodes beforehand have ended when there is a run.json.
    wait_for(lambda: (tmp_path / "run" / "run.json").exists())
    os.kill(wait_for_agents(process.pid, 4)[3], signal.SIGKILL)
    process.communicate(timeout=60)
    run = RunFolder.open(str(tmp_path / "run"))
    assert [one["node"] for one in run.meta.lost] == ["n4"] and run.meta.status == "partial"
    keys = {key: value for key, value in SMALL.items() if key != "counts"}
    right = hashes(keys, 240)
    found = summarise(run).results["traffic"]
    assert [one.step for one in found if one.nodes == 2] == [0, 1]
    assert all(one.hash == right[one.step] for one in found)
