"""A watch between two real agents: they go on without their coordinator, and nothing that they measured is lost."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from support.waiting import wait_for
from weft.watch.service import stop_watch
from weft.watch.state import read_state
from weft.watch.status import status_of
from weft.watch.store import open_watch

SITES = """
[watch]
interval = "100 ms"
rate = "10 Gb/s"
timeout = "500 ms"
kinds = ["tcp-connect", "tcp-echo", "udp-echo"]
[[sites]]
name = "east"
on = "local:"
[[sites]]
name = "west"
on = "local:"
"""


@pytest.fixture
def sites(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    path = tmp_path / "sites.toml"
    path.write_text(SITES)
    return path


def start(sites: Path) -> subprocess.Popen[bytes]:
    """A coordinator whose agents have begun to probe, by what they say of themselves."""
    folder = sites.parent / "watch"
    coordinator = subprocess.Popen(
        [sys.executable, "-m", "weft", "watch", "start", str(sites), "--out", str(folder)]
    )
    wait_for(lambda: len(pids(folder)) == 2, 60)
    return coordinator


def pids(folder: Path) -> list[int]:
    """The processes that watch."""
    said = [site.status for site in read_state(folder).sites.values()]
    return [one.pid for one in said if one]


def has_ended(pid: int) -> bool:
    """Whether a process is gone, or only its parent has not asked how it ended."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except (FileNotFoundError, ProcessLookupError):
        return True


def test_agents_go_on_when_the_coordinator_is_killed_and_come_back_when_they_are(
    sites: Path,
) -> None:
    folder = sites.parent / "watch"
    coordinator = start(sites)
    first = pids(folder)
    os.kill(first[0], signal.SIGKILL)
    wait_for(lambda: len(set(pids(folder)) - set(first)) == 1, 60)
    agents = pids(folder)
    coordinator.kill()
    coordinator.wait()
    killed_s = time.time()
    time.sleep(3)
    assert stop_watch(folder, print) == []
    watched = open_watch(folder)
    for link in (0, 1):
        probes = watched.probes(link)
        time_s = probes["time_us"].to_numpy() / 1e6
        assert time_s[-1] > killed_s + 2
        since = time_s[time_s > killed_s - 1]
        assert np.diff(since).max() < 1.5
        assert set(probes["kind"].to_pylist()) == {1, 2, 3}
        assert probes["rtt_ns"].null_count < probes.num_rows
    what = [event.what for event in watched.events]
    assert (what.count("agent-start"), what.count("agent-stop")) == (3, 2)
    assert {"agent-lost", "unreachable"} & set(what)
    wait_for(lambda: all(map(has_ended, agents)))
    assert not list((sites.parent / "state" / "weft" / "watch").iterdir())
    assert [link.state for link in status_of(folder).links] == ["up", "up"]
