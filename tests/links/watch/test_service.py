"""A watch between two real agents: they go on without their coordinator, and nothing that they measured is lost."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from support.live.waiting import wait_for
from weft.base.errors import RequestError
from weft.links.watch.service import stop_watch, watch_sites
from weft.links.watch.state import SiteState, State, read_state
from weft.links.watch.status import status_of
from weft.links.watch.store.store import Site, SiteLink, WatchRecord, Writer, open_watch
from weft.measure.testbed.agent.reply import WatchStatus

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


def test_a_watch_that_starts_again_finds_the_probes_of_its_second_part(sites: Path) -> None:
    """Each part ends with its agents, whose spools are gone: the second are others in the same place."""
    folder = sites.parent / "watch"
    again_s = []
    for seconds in ("25s", "20s"):
        again_s.append(time.time())
        command = [sys.executable, "-m", "weft", "watch", "start", str(sites)]
        subprocess.run([*command, "--out", str(folder), "--for", seconds], check=True, timeout=120)
    watched = open_watch(folder)
    for link in (0, 1):
        time_s = watched.probes(link)["time_us"].to_numpy() / 1e6
        assert (time_s < again_s[1]).sum() > 100
        assert (time_s > again_s[1]).sum() > 100
    what = [event.what for event in watched.events]
    assert (what.count("agent-start"), what.count("agent-stop")) == (4, 4)
    said = status_of(folder)
    assert not said.has_agents and not said.is_collecting
    assert [one.silent_since_s for one in said.sites] == [None, None]
    shown = subprocess.run(
        [sys.executable, "-m", "weft", "watch", "status", str(folder)],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert "the watch is over: no agent runs" in shown
    assert "nothing fetches" not in shown


def test_a_start_that_is_refused_leaves_no_folder(sites: Path) -> None:
    sites.write_text(SITES.replace('on = "local:"', 'on = "sim:no-such-fabric"', 1))
    with pytest.raises(RequestError, match="no-such-fabric"):
        watch_sites(sites, sites.parent / "watch", 1.0, print)
    assert not (sites.parent / "watch").exists()


def test_an_agent_that_runs_and_delivers_nothing_is_said(tmp_path: Path) -> None:
    """At the first fetch behind half a minute."""
    link = SiteLink(src="a", dst="b", interval_s=1.0)
    record = WatchRecord(
        sites=[Site(name="a", on="local:"), Site(name="b")], links=[link], active=[0]
    )
    Writer.create(tmp_path / "watch", record).close()
    said = WatchStatus(
        pid=1,
        version="1",
        serial=1,
        site="a",
        started_s=1000.0,
        written_s=1040.0,
        port=9770,
        refused=0,
        spool_bytes=100,
        is_disk_full=False,
        links=[],
    )
    for heard_s, delivered_s, silent_s in (
        (1020.0, None, None),
        (1040.0, 1039.0, None),
        (1040.0, None, 1000.0),
        (1040.0, 500.0, 1000.0),
        (2000.0, 1500.0, 1500.0),
    ):
        site = SiteState(on="local:", heard_s=heard_s, delivered_s=delivered_s, status=said)
        State(sites={"a": site}).save(tmp_path / "watch")
        assert status_of(tmp_path / "watch").sites[0].silent_since_s == silent_s
