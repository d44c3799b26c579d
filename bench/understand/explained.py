"""Causes planted in a lab: whether `weft diagnose` names each of them first, and nothing where there is none; and
whether it recommends the knob that would mend it, and no other.

usage: bench/explained.py [--runs 10] [--without 20] [--keep FOLDER] [CAUSE ...]     (all and `none`, unless named)

Each run is a stream of two sizes and takes about 4 s. A spinning process, a backlog of 10 frames (which is the whole
machine's: it is put back at the end), a receive buffer of 16 kB, traffic from a third host, a queue of 5 frames in
front of a slower host, and a reader that is stopped two thirds of the time. The runs without a cause are on the same
labs.

The backlog is planted on a path with a round trip of 2 ms, where it costs seven eighths of the throughput; over the
10 µs of `pair` it drops one frame in ten thousand and costs nothing. Other work of the machine would be a cause too:
the bench takes precedence over it (nice -15), and the hog, which is its own, has the same.

A hog, other traffic and a slow reader are no matter of a knob, on a machine whose processors are all in use: nothing
may be recommended there.

Named is what explains a median, a mode or a limit. A cause that is true and harmless, as load beside the bench may be,
is counted by itself where none was planted.

Takes about 7 minutes and needs root. With `--keep`, runs that the folder already has are not measured again: causes can
be measured a few at a time, and a last call with all of them takes seconds and saves the result.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from common.machine import machine
from common.results import Goal, save
from weft.diagnosis.limits.diagnosis import diagnose
from weft.execute.request import RunRequest, start_run
from weft.runs.folder import Run
from weft.testbed.lab import registry
from weft.testbed.lab.registry import Entry
from weft.testbed.lab.testbed import bring_up

PLAN = """
name = "explained"
launches = 2
[[steps]]
name = "stream"
pattern = "stream"
transport = "tcp"
sizes = ["4 KiB", "64 KiB"]
stop = { rule = "time", trial = "100 ms", trials = 10 }
"""
SWITCH = """
name = "{name}"
[[hosts]]
ids = "n[1-3]"
attach = "switch"
link = {{ rate = "{rate}", delay = "{delay}" }}
[[switches]]
ids = "switch"
[[overrides]]
ids = "n2"
link = {{ rate = "{slower}"{queue} }}
"""
LABS = {
    "three": {"rate": "100 Mb/s", "slower": "100 Mb/s", "delay": "5 us", "queue": ""},
    "three-short": {
        "rate": "400 Mb/s",
        "slower": "100 Mb/s",
        "delay": "5 us",
        "queue": ", queue_frames = 5",
    },
    "long": {"rate": "1 Gb/s", "slower": "1 Gb/s", "delay": "500 us", "queue": ""},
}
"""Those that are not of the catalogue."""
TAKE = """
import socket
server = socket.create_server(("{address}", 7))
print(flush=True)
connection = server.accept()[0]
while connection.recv(65536): pass
"""
GIVE = """
import socket
connection = socket.create_connection(("{address}", 7))
while True: connection.sendall(bytes(65536))
"""
BACKLOG = Path("/proc/sys/net/core/netdev_max_backlog")
FIRST = -15
"""Nice value of the bench and of all that it starts."""
STOPPED_S, RUNNING_S = 0.010, 0.005
NONE = "none"
LEAST_NAMED = 0.9


Said = tuple[str, str, str]
"""The code that is named first, the knobs that are recommended, and the first code of what is harmless."""


@dataclass(frozen=True)
class Planted:
    """A cause: the code that must be named, the knob that must be recommended, the lab, what is done meanwhile, and
    changes to the plan."""

    code: str
    knob: str
    lab: str
    plant: Callable[[Entry], Iterator[None]]
    overrides: tuple[tuple[str, str], ...] = ()


def nothing(entry: Entry) -> Iterator[None]:
    yield


def hog(entry: Entry) -> Iterator[None]:
    """A process that spins beside the second node's agent."""
    spin = (
        f"import os; os.sched_setaffinity(0, {{{max(os.sched_getaffinity(0))}}})\nwhile True: pass"
    )
    with _running([sys.executable, "-c", spin]):
        yield


def short_backlog(entry: Entry) -> Iterator[None]:
    """At most 10 frames wait for a processor."""
    before = BACKLOG.read_text()
    try:
        BACKLOG.write_text("10")
        yield
    finally:
        BACKLOG.write_text(before)


def traffic(entry: Entry) -> Iterator[None]:
    """The third node sends to the second."""
    address = next(node.address for node in entry.keeper.nodes if node.name == "n2")
    take, give = TAKE.format(address=address), GIVE.format(address=address)
    with _running(entry.keeper.enter_command("n2", [sys.executable, "-c", take])) as reader:
        assert reader.stdout is not None
        reader.stdout.readline()
        with _running(entry.keeper.enter_command("n3", [sys.executable, "-c", give])):
            yield


def sleeping_reader(entry: Entry) -> Iterator[None]:
    """The second node's agent is stopped two thirds of the time; what it has not read must not fit into its buffer."""
    _enter(entry, "n2", ["sysctl", "-qw", "net.ipv4.tcp_rmem=4096 131072 1048576"])
    over = threading.Event()
    thread = threading.Thread(target=_stop_and_go, args=(entry, over))
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def _stop_and_go(entry: Entry, over: threading.Event) -> None:
    while not over.wait(RUNNING_S):
        for pid in _agents(entry, "n2"):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGSTOP)
                over.wait(STOPPED_S)
                os.kill(pid, signal.SIGCONT)


def _agents(entry: Entry, name: str) -> list[int]:
    """The agents on a node of the lab."""
    (node,) = (one for one in entry.keeper.nodes if one.name == name)
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            is_agent = (process / "comm").read_text() == "weft-probe\n"
            if is_agent and (process / "ns/net").stat().st_ino == node.inode:
                found.append(int(process.name))
    return found


PLANTED = {
    "hog": Planted("processor-contention", NONE, "pair", hog),
    "backlog": Planted("backlog-drops", "netdev_max_backlog", "long", short_backlog),
    "buffer": Planted(
        "receive-buffer",
        "receive_buffer",
        "pair",
        nothing,
        (("steps.stream.options.receive_buffer", '"16 KiB"'),),
    ),
    "traffic": Planted("competing-traffic", NONE, "three", traffic),
    "queue": Planted("loss-on-the-way", "pacing", "three-short", nothing),
    "reader": Planted(
        "reader-slow", NONE, "pair", sleeping_reader, (("steps.stream.window", "1024"),)
    ),
}
WITHOUT = tuple(Planted(NONE, NONE, lab, nothing) for lab in ("pair", "three", "long"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=10, help="of each cause")
    parser.add_argument("--without", type=int, default=20, help="runs without a cause")
    parser.add_argument("--keep", type=Path, help="keep runs in this folder, and use those of it")
    parser.add_argument("causes", nargs="*", help=", ".join((*PLANTED, NONE)))
    arguments = parser.parse_args()
    # What was planted in the machine is taken out again.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    os.nice(FIRST)
    print(machine(), flush=True)
    chosen = arguments.causes or [*PLANTED, NONE]
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        keep = arguments.keep or folder
        found = {
            cause: _named_first(cause, [PLANTED[cause]] * arguments.runs, folder, keep)
            for cause in PLANTED
            if cause in chosen
        }
        goals = [goal for cause, said in found.items() for goal in _goals(cause, said)]
        if len(found) == len(PLANTED):
            goals += _all(found)
        if NONE in chosen and arguments.without:
            plants = [WITHOUT[number % len(WITHOUT)] for number in range(arguments.without)]
            said = _named_first(NONE, plants, folder, keep)
            for what, index in (("named", 0), ("knobs recommended", 1)):
                wrong = sum(one[index] != NONE for one in said)
                goals.append(Goal(f"{what} without a cause", wrong, "runs", at_most=0))
            harmless = sum(one[2] != NONE for one in said)
            goals.append(Goal("true and harmless without a planted cause", harmless, "runs"))
    save("explained", goals, NONE if chosen == [NONE] else "")


def _right(cause: str, found: Sequence[Said]) -> tuple[int, int]:
    """In how many runs the cause was named, and the right knob recommended."""
    planted = PLANTED[cause]
    codes, knobs, _ = zip(*found, strict=True)
    return codes.count(planted.code), knobs.count(planted.knob)


def _goals(cause: str, found: Sequence[Said]) -> Iterator[Goal]:
    named, recommended = _right(cause, found)
    yield Goal(f"{cause}: named first, of {len(found)}", named, "runs")
    knob = PLANTED[cause].knob
    what = "no knob" if knob == NONE else knob
    yield Goal(f"{cause}: {what} recommended, of {len(found)}", recommended, "runs")


def _all(found: dict[str, list[Said]]) -> Iterator[Goal]:
    rights = [_right(cause, said) for cause, said in found.items()]
    runs = sum(map(len, found.values()))
    for what, right in zip(
        ("causes named first", "knobs right"), zip(*rights, strict=True), strict=True
    ):
        least = round(LEAST_NAMED * runs)
        yield Goal(f"{what}, of {runs}", sum(right), "runs", at_least=least)


def _named_first(cause: str, plants: Sequence[Planted], scratch: Path, keep: Path) -> list[Said]:
    """What is said of each run."""
    found = []
    for number, planted in enumerate(plants):
        said = diagnose(measure(planted, scratch, keep / f"{cause}-{number}"))
        named = [one for one in said.explanations if one.cause]
        codes = [one.cause for one in named if not one.is_harmless]
        harmless = [one.cause for one in named if one.is_harmless]
        knobs = [one.knob for one in said.recommendations]
        found.append((next(iter(codes), NONE), " ".join(knobs) or NONE, next(iter(harmless), NONE)))
    counts = Counter(found).items()
    print(
        f"{cause:10}{', '.join(f'{code}: {knob} ({other}) {n}' for (code, knob, other), n in counts)}",
        flush=True,
    )
    return found


def measure(planted: Planted, scratch: Path, out: Path) -> Run:
    """One run with a cause planted, on a lab of its own, unless it is there already."""
    if (out / "run.json").exists() and (known := Run.open(out)).meta.status == "complete":
        return known
    plan = scratch / "plan.toml"
    plan.write_text(PLAN)
    with _lab(planted.lab, scratch) as entry, contextmanager(planted.plant)(entry):
        run = start_run(
            RunRequest(str(plan), f"lab:{entry.id}", str(out), overrides=[*planted.overrides])
        )
    if run.meta.status != "complete":
        raise SystemExit(f"{out.name} ended {run.meta.status}")
    return run


@contextmanager
def _lab(name: str, folder: Path) -> Iterator[Entry]:
    fabric = name
    if name in LABS:
        path = folder / f"{name}.toml"
        path.write_text(SWITCH.format(name=name, **LABS[name]))
        fabric = str(path)
    entry = bring_up(fabric, 1.0, f"explained-{name}")
    try:
        yield entry
    finally:
        registry.remove(entry)


@contextmanager
def _running(command: Sequence[str]) -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def _enter(entry: Entry, node: str, command: list[str]) -> None:
    subprocess.run(entry.keeper.enter_command(node, command), check=True)


if __name__ == "__main__":
    main()
