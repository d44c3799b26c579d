"""A link of a lab fails while it is watched: one begin, one end, also when the coordinator is killed in between."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support import here
from support.command import weft
from support.here import weft_json
from support.live.waiting import wait_for
from weft.links.watch.alerts.ledger import read_ledger, read_notices
from weft.links.watch.service import stop_watch
from weft.links.watch.state import read_state

FABRIC = """
name = "cable"
[[hosts]]
ids = "a,b"
[[links]]
between = ["a", "b"]
rate = "100 Mb/s"
delay = "1 ms"
"""
SITES = """
[watch]
interval = "100 ms"
rate = "10 Gb/s"
timeout = "200 ms"
kinds = ["tcp-connect", "udp-echo"]
[[sites]]
name = "east"
on = "lab:cable/a"
[[sites]]
name = "west"
on = "lab:cable/b"
[alerts]
command = "cat >> {calls}; echo called $WEFT_ALERT_PHASE"
"""


@pytest.fixture
def sites(own_registry: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    (tmp_path / "cable.toml").write_text(FABRIC)
    assert weft("lab", "up", tmp_path / "cable.toml").returncode == 0
    path = tmp_path / "sites.toml"
    path.write_text(SITES.format(calls=tmp_path / "calls"))
    yield path
    assert here.weft("lab", "down", "--all").returncode == 0


def start(sites: Path) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "weft", "watch", "start", sites, "--out", sites.parent / "w"]
    return subprocess.Popen(command)


def calls(sites: Path) -> list[dict[str, Any]]:
    path = sites.parent / "calls"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def fetched(folder: Path) -> list[float]:
    return [one.heard_s or 0 for one in read_state(folder).sites.values()]


@pytest.mark.timed
@pytest.mark.cluster
def test_one_begin_and_one_end_though_the_coordinator_is_killed_between(sites: Path) -> None:
    folder = sites.parent / "w"
    coordinator = start(sites)
    wait_for(lambda: len(read_ledger(folder).seen_s) == 2, 60)
    weft_json("lab", "weather", "cable", "between=a,b", "dead=true")
    wait_for(lambda: calls(sites), 60)
    wait_for(lambda: not read_ledger(folder).outbox, 10)
    assert here.weft("watch", "check", folder).returncode == 1
    coordinator.kill()
    coordinator.wait()
    before = fetched(folder)
    coordinator = start(sites)
    wait_for(lambda: min(fetched(folder)) > max(before), 60)
    weft_json("lab", "weather", "cable", "--clear")
    wait_for(lambda: len(calls(sites)) > 1, 90)
    assert weft_json("watch", "check", folder) == {"problems": []}
    coordinator.kill()
    coordinator.wait()
    assert stop_watch(folder, print) == []
    begin, end = calls(sites)
    assert [begin["phase"], end["phase"]] == ["begin", "end"]
    assert begin["id"] == end["id"] and end["seconds"] > 10
    assert {(one["src"], one["dst"]) for one in end["links"]} == {
        ("east", "west"),
        ("west", "east"),
    }
    assert (end["what"], end["missing"]) == ("path", [])
    assert [one.phase for one in read_notices(folder)] == ["begin", "end"]
