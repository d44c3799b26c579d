"""Kill -9 at random of all that a watch consists of, and what must be there afterwards all the same."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import numpy as np

from common.watch.lab import SITES, WatchedLab
from weft.links.watch.store.history import history
from weft.links.watch.store.store import StoredWatch, open_watch
from weft.measure.testbed.lab.daemon import process_started

FLUSH_S = 10.0
SLACK_S = 2.0
"""A probe that is under way, and the time that a busy machine takes."""
PAUSE_S = (2.0, 10.0)
SETTLE_S = 40.0


@dataclass
class Week:
    """`killed` has what was killed and when, Unix times; `known` the probes (link, microseconds) that
    the folder had."""

    killed: list[tuple[float, str]] = field(default_factory=list)
    known: set[tuple[int, int]] = field(default_factory=set)
    left: list[int] = field(default_factory=list)


def storm(lab: WatchedLab, seconds: float, seed: int) -> Week:
    """Kill one process after the other, with the fetching one started again by hand."""
    generator, week = Random(seed), Week()
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        time.sleep(generator.uniform(*PAUSE_S))
        week.known |= _probes(open_watch(lab.folder))
        what, pid = _victim(lab, generator)
        if not pid or process_started(pid) is None:
            continue
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
            week.killed.append((time.time(), what))
        if what == "coordinator":
            assert lab.coordinator
            lab.coordinator.wait()
            time.sleep(generator.uniform(0.0, 10.0))
            lab.start()
    time.sleep(SETTLE_S)
    return week


def _victim(lab: WatchedLab, generator: Random) -> tuple[str, int]:
    """An agent three times in six, what stands in for its ssh connection twice, the process that fetches once."""
    site = f"n{generator.randint(1, SITES)}"
    which = generator.choice(["agent", "agent", "agent", "connection", "connection", "coordinator"])
    if which == "agent":
        return f"agent {site}", lab.agent_pid(site)
    assert lab.coordinator
    if which == "coordinator":
        return which, lab.coordinator.pid
    children = _children(lab.coordinator.pid)
    return which, generator.choice(children) if children else 0


def _children(pid: int) -> list[int]:
    with contextlib.suppress(OSError):
        return [int(one) for one in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    return []


def _probes(watched: StoredWatch) -> set[tuple[int, int]]:
    rows = watched.samples()
    return set(zip(rows["link"].to_pylist(), rows["time_us"].to_pylist(), strict=True))


def lost(week: Week, watched: StoredWatch) -> int:
    """Probes that the folder once had, and has no more."""
    return len(week.known - _probes(watched))


def unflushed_s(week: Week, watched: StoredWatch) -> float:
    """The longest time without probes before the kill of an agent, since it was started: what it had not flushed."""
    longest_s = 0.0
    for at_s, what in week.killed:
        if what.startswith("agent"):
            site = what.split()[1]
            own = [s for s in history(watched) if s.src == site]
            last = [_last_before(s.start + s.time_s, at_s) for s in own]
            last += [
                e.time_s
                for e in watched.events
                if e.site == site and e.what == "agent-start" and e.time_s <= at_s
            ]
            longest_s = max(longest_s, at_s - max(last))
    return longest_s


def _last_before(times_s: np.ndarray, at_s: float) -> float:
    before = times_s[times_s <= at_s]
    return float(before[-1]) if len(before) else 0.0


def unmarked_gaps(watched: StoredWatch) -> tuple[int, list[str]]:
    """How many gaps there are, and those in which no event of their site is."""
    count, unmarked = 0, []
    for series in history(watched):
        times = [one.time_s for one in watched.events if one.site == series.src]
        for first_s, last_s in series.gaps():
            count += 1
            begin_s, end_s = series.start + first_s, series.start + last_s
            if not any(begin_s - SLACK_S <= at_s <= end_s + SLACK_S for at_s in times):
                unmarked.append(
                    f"{series.src} > {series.dst} at {begin_s:.1f}, {end_s - begin_s:.1f} s"
                )
    return count, unmarked
