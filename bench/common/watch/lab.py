"""A lab of six sites under watch, and faults planted in it: what was really done, and when the folder first said so."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import msgspec

from common.watch.events import FABRIC, LinkKey, Planted, sites_text
from weft.links.analysis.causes import find_incidents
from weft.links.watch.collect import read_state
from weft.links.watch.store.history import history
from weft.links.watch.store.store import open_watch
from weft.measure.testbed.lab import registry
from weft.measure.testbed.lab.registry import LabEntry
from weft.measure.testbed.lab.testbed import bring_up
from weft.measure.testbed.lab.weather import add_weather, weather_log

SETTLE_S = 45.0
PAUSE_S = (12.0, 20.0)
LOOK_EVERY_S = 5.0
TRUTH = "planted.json"
SEEN = "seen.json"
SITES = 6

Seen = dict[tuple[LinkKey, float], float]
"""By link and begin: when an incident was first in what the folder says, Unix times."""


@dataclass
class WatchedLab:
    """A lab that is up, the folder of its watch, and the process that fetches."""

    base: Path
    entry: LabEntry
    coordinator: subprocess.Popen[bytes] | None = None
    seen: Seen = field(default_factory=dict)

    @property
    def folder(self) -> Path:
        return self.base / "watch"

    def start(self) -> None:
        """Start what fetches; its agents end with the folder's own state."""
        command = [sys.executable, "-m", "weft", "watch", "start", str(self.base / "sites.toml")]
        log = (self.base / "coordinator.log").open("ab")
        environment = os.environ | {"XDG_STATE_HOME": str(self.base / "state")}
        self.coordinator = subprocess.Popen(
            [*command, "--out", str(self.folder)], stdout=log, stderr=log, env=environment
        )

    def agent_pid(self, site: str) -> int:
        """The process that watches at a site; 0 where none is known."""
        status = read_state(self.folder).site(site).status
        return status.pid if status else 0

    def stop(self) -> subprocess.CompletedProcess[str]:
        """`weft watch stop`."""
        command = [sys.executable, "-m", "weft", "watch", "stop", str(self.folder)]
        environment = os.environ | {"XDG_STATE_HOME": str(self.base / "state")}
        done = subprocess.run(command, env=environment, text=True, capture_output=True, check=False)
        if self.coordinator:
            self.coordinator.wait()
        return done

    def left_behind(self) -> list[int]:
        """Processes of this watch, by what they were started with, besides this one."""
        found, mark = [], str(self.base).encode()
        for folder in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                said = (folder / "cmdline").read_bytes() + (folder / "environ").read_bytes()
                if mark in said and int(folder.name) != os.getpid():
                    found.append(int(folder.name))
        return found


@contextlib.contextmanager
def watched_lab(base: Path) -> Iterator[WatchedLab]:
    """Put the lab up, watch it, and take all of it away; the folder stays."""
    base.mkdir(parents=True, exist_ok=True)
    name = f"bench-watch-{os.getpid()}"
    (base / "six-sites.toml").write_text(FABRIC)
    (base / "sites.toml").write_text(sites_text(name))
    lab = WatchedLab(base, bring_up(str(base / "six-sites.toml"), 1.0, name))
    try:
        lab.start()
        _wait_for(lambda: all(lab.agent_pid(f"n{n + 1}") for n in range(SITES)), 120)
        yield lab
        done = lab.stop()
        print(done.stderr.strip() or done.stdout.strip(), flush=True)
    finally:
        if lab.coordinator and lab.coordinator.poll() is None:
            lab.coordinator.kill()
        registry.remove(lab.entry)


def plant(lab: WatchedLab, planted: list[Planted], seed: int) -> None:
    """Carry out the faults of all lanes at once, each lane in its order; writes what was done."""
    over = threading.Event()
    looking = threading.Thread(target=_look, args=(lab, over))
    looking.start()
    lanes = dict.fromkeys(one.lane for one in planted)
    threads = [
        threading.Thread(target=_lane, args=(lab, [p for p in planted if p.lane == lane], seed))
        for lane in lanes
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    time.sleep(2 * SETTLE_S / 3)
    over.set()
    looking.join()
    (lab.base / TRUTH).write_bytes(msgspec.json.encode(planted))
    rows = [(*link, begin_s, first_s) for (link, begin_s), first_s in lab.seen.items()]
    (lab.base / SEEN).write_bytes(msgspec.json.encode(rows))


def read_truth(base: Path) -> tuple[list[Planted], Seen]:
    """What an earlier `plant` wrote."""
    planted = msgspec.json.decode((base / TRUTH).read_bytes(), type=list[Planted])
    rows = msgspec.json.decode((base / SEEN).read_bytes())
    return planted, {((a, b, network), begin_s): at_s for a, b, network, begin_s, at_s in rows}


def _lane(lab: WatchedLab, planted: list[Planted], seed: int) -> None:
    generator = Random(f"{seed} {planted[0].lane}")
    time.sleep(SETTLE_S)
    for one in planted:
        print(f"{time.strftime('%H:%M:%S')} {one.id} {one.kind} for {one.for_s} s", flush=True)
        before = lab.agent_pid(one.kills) if one.kills else 0
        if one.stopped:
            _stop_agent(lab, one)
        else:
            _add_weather(lab, one)
        if before:
            one.back_s = _back(lab, one.kills, before)
        time.sleep(generator.uniform(*PAUSE_S))


def _add_weather(lab: WatchedLab, one: Planted) -> None:
    tables = [
        f'[[weather]]\nname = "{one.id}"\n{keys}\nfor = "{one.for_s * 1e3:.0f} ms"'
        for keys in one.weather
    ]
    add_weather(lab.entry, "\n".join(tables) + "\n", one.id)
    time.sleep(one.for_s + 0.5)
    lines = [line for line in weather_log(lab.entry) if line.name == one.id]
    one.begin_s = min(line.time_s for line in lines if line.state == "begins")
    one.end_s = max(line.time_s for line in lines if line.state == "ends")


def _stop_agent(lab: WatchedLab, one: Planted) -> None:
    pid = lab.agent_pid(one.stopped)
    one.begin_s = time.time()
    os.kill(pid, signal.SIGSTOP)
    try:
        time.sleep(one.for_s)
    finally:
        one.end_s = time.time()
        os.kill(pid, signal.SIGCONT)


def _back(lab: WatchedLab, site: str, before: int) -> float:
    """When the site's agent was there again."""
    _wait_for(lambda: lab.agent_pid(site) not in (0, before), 150)
    return time.time()


def _look(lab: WatchedLab, over: threading.Event) -> None:
    """What a user would see who looks every few seconds."""
    while not over.wait(LOOK_EVERY_S):
        now_s = time.time()
        watched = open_watch(lab.folder, now_s - 300)
        for one in find_incidents(history(watched)):
            key = (one.src, one.dst, one.network), round(one.begin_s, 3)
            lab.seen.setdefault(key, now_s)


def _wait_for(condition: Callable[[], bool], seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise SystemExit("what the bench waits for did not happen")
        time.sleep(0.2)
