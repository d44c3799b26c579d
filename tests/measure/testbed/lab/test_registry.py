"""The registry of labs: entries that this weft cannot read are stale, and can be taken away."""

import json
import signal
import subprocess
from pathlib import Path
from typing import Any

import msgspec
import pytest

from support import here
from support.command import WEFT, weft
from support.live.waiting import wait_for
from weft.measure.testbed.lab import registry
from weft.measure.testbed.lab.daemon import process_started
from weft.measure.testbed.lab.testbed import bring_up, open_lab

pytestmark = pytest.mark.usefixtures("own_registry")


def entry_of_an_older_weft(pid: int, started: int | None) -> dict[str, Any]:
    """As it was before nodes had an address in each network."""
    node = {"name": "n1", "address": "10.0.0.1", "fd": 5, "inode": 1}
    keeper = {"pid": pid, "started": started, "user_namespace": False, "nodes": [node]}
    about = {"fabric": "pair", "scale": 0.5, "private": False, "created": 1.5e9}
    return {"id": "old", **about, "keeper": keeper}


def put(name: str, text: str | bytes) -> None:
    content = text.encode() if isinstance(text, str) else text
    (registry.folder() / f"{name}.json").write_bytes(content)


def test_an_entry_of_an_older_weft_is_listed_as_stale() -> None:
    put("old", json.dumps(entry_of_an_older_weft(0, 0)))
    (listed,) = here.weft_json("lab", "list")["labs"]
    assert (listed["id"], listed["fabric"], listed["state"]) == ("old", "pair", "stale")
    assert "stale" in here.weft("lab", "list").stdout
    assert here.weft("lab", "down", "old").returncode == 0
    assert registry.entries() == []


DAMAGED = ["", "{", "[1]", "null", "{}", '{"keeper": null}', b"\xff\xfe"]
DAMAGED += ['{"keeper": {"pid": "self", "nodes": [1]}}']
DAMAGED += ['{"keeper": {"nodes": 5}, "scale": NaN, "created": []}']


@pytest.mark.parametrize("text", DAMAGED)
def test_any_damaged_entry_is_stale_and_goes(text: str | bytes) -> None:
    put("broken", text)
    (listed,) = here.weft_json("lab", "list")["labs"]
    assert (listed["id"], listed["state"]) == ("broken", "stale")
    assert here.weft_json("lab", "down", "--all") == {"removed": [{"id": "broken", "killed": 0}]}
    assert registry.entries() == []


def test_a_damaged_entry_hinders_no_lab() -> None:
    put("broken", "{")
    assert weft("lab", "up", "pair").returncode == 0
    assert here.weft("lab", "exec", "pair", "n1", "--", "true").returncode == 0
    assert here.weft("lab", "down", "--all").returncode == 0


def test_the_keeper_of_an_older_weft_goes_with_its_entry_and_another_process_stays() -> None:
    with subprocess.Popen(["sleep", "60"]) as process:
        # Another process that has the keeper's number.
        put("old", json.dumps(entry_of_an_older_weft(process.pid, 1)))
        assert here.weft("lab", "down", "old").returncode == 0
        assert process.poll() is None
        put("old", json.dumps(entry_of_an_older_weft(process.pid, process_started(process.pid))))
        assert here.weft("lab", "down", "old").returncode == 0
        assert process.wait(5) != 0


def test_only_the_lab_s_own_namespace_is_cleared_not_one_that_has_its_number_now() -> None:
    up = bring_up("pair", 1.0, None)
    dead = msgspec.to_builtins(up) | {"id": "dead"}
    dead["keeper"]["started"] = 0
    node = dead["keeper"]["nodes"][0]
    cookie = node["cookie"]
    command = up.keeper.enter_command("n1", ["sh", "-c", "echo inside; sleep 60"])
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as inhabitant:
        assert inhabitant.stdout is not None and inhabitant.stdout.readline() == "inside\n"
        for remembered, killed in ((cookie + 1, 0), (cookie, 2)):
            node["cookie"] = remembered
            put("dead", json.dumps(dead))
            (removed,) = here.weft_json("lab", "down", "dead")["removed"]
            assert removed == {"id": "dead", "killed": killed}
    registry.remove(up)


def test_what_a_killed_run_left_goes_with_the_next_private_lab() -> None:
    entry = entry_of_an_older_weft(0, 0)
    put("old", json.dumps(entry | {"private": True}))
    put("kept", json.dumps(entry | {"id": "kept"}))
    with open_lab("pair"):
        assert [one.id for one in registry.entries() if one.state == "stale"] == ["kept"]


def test_a_run_that_is_ended_before_it_measures_takes_its_lab_away(tmp_path: Path) -> None:
    command = [*WEFT, "run", "latency", "--on", "lab:pair", "--out", str(tmp_path / "run")]
    running = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    wait_for(registry.entries)
    running.send_signal(signal.SIGTERM)
    running.send_signal(signal.SIGTERM)
    assert running.wait(30) in (1, 130)
    assert registry.entries() == []
