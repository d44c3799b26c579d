"""A site's agent says what its own machine did: a processor that it waited for, a stall, no link at an interface."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.clusters.namespaces import INTERFACE, inside, two_namespaces
from support.live.waiting import wait_for
from support.live.watching import WatchingSite, config, watch_folder, watched_link, watching

__all__ = ["watch_folder"]
pytestmark = pytest.mark.timed
SPINNING = "import time\nend = time.monotonic() + 30\nwhile time.monotonic() < end: pass"


@pytest.fixture
def namespaces() -> Iterator[tuple[str, str]]:
    with two_namespaces() as names:
        yield names


def said(site: WatchingSite) -> set[str]:
    """What happened at its first link, as it is on its disk."""
    return {event.what for event in site.told_to_write()[1] if event.link == 0}


def test_waiting_for_a_processor_and_stalls_are_said_with_their_times(watch_folder: Path) -> None:
    cpu = str(min(os.sched_getaffinity(0)))
    told = config(watched_link("127.0.0.1"))
    with watching(watch_folder / "busy", told, ["nice", "-n", "19", "taskset", "-c", cpu]) as site:
        busy_s = time.time()
        command = ["taskset", "-c", cpu, sys.executable, "-c", SPINNING]
        spinners = [subprocess.Popen(command) for _ in range(8)]
        time.sleep(4)
        for spinner in spinners:
            spinner.kill()
            spinner.wait()
        calm_s = time.time()
        time.sleep(1.5)
        os.kill(site.process.pid, signal.SIGSTOP)
        stopped_s = time.time()
        time.sleep(2.5)
        os.kill(site.process.pid, signal.SIGCONT)
        time.sleep(1.5)
        _, events = site.end()
    pressure = next(event for event in events if event.text.startswith("cpu: "))
    assert pressure.what == "pressure" and pressure.link is None
    assert busy_s - 3 < pressure.time_s < calm_s
    assert pressure.seconds and pressure.seconds > 1
    stall = max((e for e in events if e.what == "stall"), key=lambda e: e.seconds or 0)
    assert stall.seconds and 1.4 < stall.seconds < 4
    assert abs(stall.time_s - stopped_s) < 1.5


def test_an_interface_without_a_link_is_said_of_the_links_that_leave_by_it(
    watch_folder: Path, namespaces: tuple[str, str]
) -> None:
    told = config(watched_link("10.9.9.2", kinds=["icmp"]))
    with watching(watch_folder / "cut", told, ["ip", "netns", "exec", namespaces[0]]) as site:
        time.sleep(2.5)
        inside(namespaces[1], f"ip link set {INTERFACE} down")
        cut_s = time.time()
        time.sleep(3)
        inside(namespaces[1], f"ip link set {INTERFACE} up")
        mended_s = time.time()
        wait_for(lambda: {"carrier-down", "carrier-up"} <= said(site))
        rows, events = site.end()
    down = [event for event in events if event.what == "carrier-down" and event.link == 0]
    assert [event.text for event in down] == [f"{INTERFACE} had no link"]
    assert abs(down[0].time_s - cut_s) < 1.5
    assert down[0].seconds == pytest.approx(mended_s - cut_s, abs=1.5)
    up = next(event for event in events if event.what == "carrier-up" and event.link == 0)
    assert abs(up.time_s - mended_s) < 1.5
    lost_us = rows["time_us"].to_numpy()[
        (rows["link"].to_numpy() == 0) & rows["rtt_ns"].is_null().to_numpy()
    ]
    assert len(lost_us) and lost_us.min() / 1e6 > cut_s - 0.6
