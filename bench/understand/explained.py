"""Does `weft diagnose` name the planted cause?

Causes planted in a lab: whether each of them is named first, and nothing where there is none; and whether the knob is
recommended that would mend it, and no other.

usage: bench/run.py explained [--runs 10] [--without 20] [--keep FOLDER] [CAUSE ...]     (all and `none`, unless named)

Each run is a stream of two sizes and takes about 4 s. A spinning process, a backlog of 10 frames (which is the whole
machine's: it is put back at the end), a receive buffer of 16 kB that the run sets or that its host does not exceed,
traffic from a third host, a queue of 5 frames in front of a slower host, and a reader that is stopped two thirds of the
time. The runs without a cause are on the same labs.

The backlog is planted on a path with a round trip of 2 ms, where it costs seven eighths of the throughput; over the
10 µs of `pair` it drops one frame in ten thousand and costs nothing. Other work of the machine would be a cause too:
the bench takes precedence over it (nice -15), and the hog, which is its own, has the same.

A hog, other traffic and a slow reader are no matter of a knob, on a machine whose processors are all in use: nothing
may be recommended there.

Named is what explains a median, a mode or a limit. A cause that is true and harmless is counted by itself. `bursts` is
one: four processes that spin for 0.35 s of each second. They must be said to be there and not to explain anything; that
they do not is held against a run without a cause on the same lab after each, by how much medians are slower.

Takes about 9 minutes and needs root. With `--keep`, runs that the folder already has are not measured again: causes can
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
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import NamedTuple

from common.machine import machine
from common.precedence import kernel_setting, precedence
from common.results import Goal, save
from weft.measure.execute.options.run_options import RunOptions
from weft.measure.execute.request import RunRequest, start_run
from weft.measure.testbed.lab import registry
from weft.measure.testbed.lab.registry import LabEntry
from weft.measure.testbed.lab.testbed import bring_up
from weft.runs.folder import RunFolder
from weft.understand.curve.curve import curves
from weft.understand.curve.points import curve_points
from weft.understand.limits.diagnosis import diagnose

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
BURSTS = """
import os, time
os.sched_setaffinity(0, {{{cpu}}})
while True:
    while time.time() % 1 < 0.35: pass
    time.sleep(1 - time.time() % 1)
"""
BACKLOG = Path("/proc/sys/net/core/netdev_max_backlog")
STOPPED_S, RUNNING_S = 0.010, 0.005
NONE, HARMLESS = "none", "bursts"
LEAST_NAMED = 0.9
MOST_SLOWER_PCT = 10
"""Of the medians of runs beside bursts, than those of the runs between."""


class Said(NamedTuple):
    """The code that is named first, the knobs that are recommended, and the first code of what is harmless; the median
    throughput by size."""

    code: str
    knobs: str
    harmless: str
    mbps: dict[int, float]


@dataclass(frozen=True)
class Planted:
    """A cause: the code that must be named, the knob that must be recommended, the lab, what is done meanwhile, and
    changes to the plan."""

    code: str
    knob: str
    lab: str
    plant: Callable[[LabEntry], Iterator[None]]
    overrides: tuple[tuple[str, str], ...] = ()


def nothing(entry: LabEntry) -> Iterator[None]:
    yield


def hog(entry: LabEntry) -> Iterator[None]:
    """A process that spins beside the second node's agent."""
    spin = (
        f"import os; os.sched_setaffinity(0, {{{max(os.sched_getaffinity(0))}}})\nwhile True: pass"
    )
    with _running([sys.executable, "-c", spin]):
        yield


def bursts(entry: LabEntry) -> Iterator[None]:
    """Four processes that spin together for 0.35 s of each second beside the second node's agent."""
    cpu = max(os.sched_getaffinity(0))
    command = [sys.executable, "-c", BURSTS.format(cpu=cpu)]
    with ExitStack() as running:
        for _ in range(4):
            running.enter_context(_running(command))
        yield


def small_buffer(entry: LabEntry) -> Iterator[None]:
    """The second node's kernel lets receive buffers grow to 16 kB."""
    _enter(entry, "n2", ["sysctl", "-qw", "net.ipv4.tcp_rmem=4096 16384 16384"])
    yield


def short_backlog(entry: LabEntry) -> Iterator[None]:
    """At most 10 frames wait for a processor."""
    with kernel_setting(BACKLOG, "10"):
        yield


def traffic(entry: LabEntry) -> Iterator[None]:
    """The third node sends to the second."""
    address = next(node.address for node in entry.keeper.nodes if node.name == "n2")
    take, give = TAKE.format(address=address), GIVE.format(address=address)
    with _running(entry.keeper.enter_command("n2", [sys.executable, "-c", take])) as reader:
        assert reader.stdout is not None
        reader.stdout.readline()
        with _running(entry.keeper.enter_command("n3", [sys.executable, "-c", give])):
            yield


def sleeping_reader(entry: LabEntry) -> Iterator[None]:
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


def _stop_and_go(entry: LabEntry, over: threading.Event) -> None:
    """Agents are looked for where one has ended only, because that takes the processor from them."""
    pids = []
    while not over.wait(RUNNING_S):
        try:
            for pid in pids:
                os.kill(pid, signal.SIGSTOP)
                over.wait(STOPPED_S)
                os.kill(pid, signal.SIGCONT)
        except ProcessLookupError:
            pids = []
        pids = pids or _agents(entry, "n2")


def _agents(entry: LabEntry, name: str) -> list[int]:
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
    "buffer": Planted("receive-buffer", "tcp_rmem", "pair", small_buffer),
    "setting": Planted(
        "not-default",
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
BURSTS_OF = Planted("processor-contention", NONE, "pair", bursts)
BESIDE_BURSTS = Planted(NONE, NONE, "pair", nothing)
WITHOUT = tuple(Planted(NONE, NONE, lab, nothing) for lab in ("pair", "three", "long"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=10, help="of each cause")
    parser.add_argument("--without", type=int, default=20, help="runs without a cause")
    parser.add_argument("--keep", type=Path, help="keep runs in this folder, and use those of it")
    parser.add_argument("causes", nargs="*", help=", ".join((*PLANTED, HARMLESS, NONE)))
    arguments = parser.parse_args()
    # What was planted in the machine is taken out again.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    print(machine(), flush=True)
    chosen = arguments.causes or [*PLANTED, HARMLESS, NONE]
    plants = {cause: [PLANTED[cause]] * arguments.runs for cause in PLANTED}
    plants[HARMLESS] = [BURSTS_OF, BESIDE_BURSTS] * arguments.runs
    plants[NONE] = [WITHOUT[number % len(WITHOUT)] for number in range(arguments.without)]
    with precedence(), tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        keep = arguments.keep or folder
        found = {
            cause: _named_first(cause, plants[cause], folder, keep)
            for cause in plants
            if cause in chosen and plants[cause]
        }
    save("explained", list(_every_goal(found)), NONE if chosen == [NONE] else "")


def _every_goal(found: dict[str, list[Said]]) -> Iterator[Goal]:
    planted = {cause: said for cause, said in found.items() if cause in PLANTED}
    for cause, said in planted.items():
        yield from _goals(cause, said)
    if len(planted) == len(PLANTED):
        yield from _all(planted)
    with_bursts, without = found.get(HARMLESS, [])[::2], found.get(HARMLESS, [])[1::2]
    if with_bursts:
        yield from _harmless_goals(with_bursts)
        what = f"{HARMLESS}: medians slower than in the run after each (median), %"
        yield Goal(what, _slower_pct(with_bursts, without), at_most=MOST_SLOWER_PCT)
    if NONE in found:
        yield from _clean_goals([*found[NONE], *without])


def _harmless_goals(said: Sequence[Said]) -> Iterator[Goal]:
    true = sum(one.harmless == BURSTS_OF.code for one in said)
    least = round(LEAST_NAMED * len(said))
    what = f"{HARMLESS}: said to be true and harmless, of {len(said)}"
    yield Goal(what, true, "runs", at_least=least)
    named = sum(one.code != NONE for one in said)
    yield Goal(f"{HARMLESS}: named as what explains, of {len(said)}", named, "runs", at_most=0)


def _clean_goals(said: Sequence[Said]) -> Iterator[Goal]:
    named = sum(one.code != NONE for one in said)
    yield Goal(f"named without a cause, of {len(said)}", named, "runs", at_most=0)
    recommended = sum(one.knobs != NONE for one in said)
    yield Goal(f"knobs recommended without a cause, of {len(said)}", recommended, "runs", at_most=0)
    harmless = sum(one.harmless != NONE for one in said)
    yield Goal(f"true and harmless without a planted cause, of {len(said)}", harmless, "runs")


def _slower_pct(said: Sequence[Said], clean: Sequence[Said]) -> float:
    """By how much messages take longer than in the clean run beside, in the middle of all runs and sizes."""
    ratios = [
        other.mbps[key] / one.mbps[key]
        for one, other in zip(said, clean, strict=True)
        for key in one.mbps
    ]
    return 100 * (median(ratios) - 1)


def _right(cause: str, found: Sequence[Said]) -> tuple[int, int]:
    """In how many runs the cause was named, and the right knob recommended."""
    planted = PLANTED[cause]
    codes, knobs = [one.code for one in found], [one.knobs for one in found]
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
    found = [
        _said(measure(planted, scratch, keep / f"{cause}-{number}"))
        for number, planted in enumerate(plants)
    ]
    counts = Counter((one.code, one.knobs, one.harmless) for one in found).items()
    print(
        f"{cause:10}{', '.join(f'{code}: {knob} ({other}) {n}' for (code, knob, other), n in counts)}",
        flush=True,
    )
    return found


def _said(run: RunFolder) -> Said:
    said = diagnose(run)
    named = [one for one in said.explanations if one.cause]
    codes = [one.cause for one in named if not one.is_harmless]
    harmless = [one.cause for one in named if one.is_harmless]
    knobs = [one.knob for one in said.recommendations]
    return Said(
        next(iter(codes), NONE) or NONE,
        " ".join(knobs) or NONE,
        next(iter(harmless), NONE) or NONE,
        {
            one.size_bytes: one.throughput_mbps.median
            for curve in curves(run)
            for one in curve_points(curve)
        },
    )


def measure(planted: Planted, scratch: Path, out: Path) -> RunFolder:
    """One run with a cause planted, on a lab of its own, unless it is there already."""
    if (out / "run.json").exists() and (known := RunFolder.open(out)).meta.status == "complete":
        return known
    plan = scratch / "plan.toml"
    plan.write_text(PLAN)
    with _lab(planted.lab, scratch) as entry, contextmanager(planted.plant)(entry):
        run = start_run(
            RunRequest(
                str(plan), f"lab:{entry.id}", RunOptions(out=out, settings=dict(planted.overrides))
            )
        )
    if run.meta.status != "complete":
        raise SystemExit(f"{out.name} ended {run.meta.status}")
    return run


@contextmanager
def _lab(name: str, folder: Path) -> Iterator[LabEntry]:
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


def _enter(entry: LabEntry, node: str, command: list[str]) -> None:
    subprocess.run(entry.keeper.enter_command(node, command), check=True)


if __name__ == "__main__":
    main()
