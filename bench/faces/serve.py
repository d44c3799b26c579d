"""What does weft serve cost a measurement?

What `weft serve` costs a measurement on the same machine, and how fast and small it is.

usage: bench/run.py serve [--blocks N]

While one connection of `lab:pair` is timed, batch after batch, another run grows by some samples four times a second.
Five viewers follow that run for a while and go away for as long, in the order without, with, with, without, which a
steady drift does not favour. Each viewer does what the page does: it listens to events, and asks for the long documents
every few seconds. Then the times of the first picture of a run of 10^6 samples, from a sample on the disk to its
event, and memory.

Takes about 5 minutes. Other load shows in the latency, and in the times, since the server gives way to it.
"""

from __future__ import annotations

import argparse
import http.client
import json
import statistics
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

import numpy as np

from common.machine import machine
from common.ratio import percent, text
from common.results import Goal, save
from common.serving import WEFT, ChildPeak, Server, begin_run, rows, serving, write_large
from weft.runs.folder import RunFolder

VIEWERS = 5
BLOCK_S, SETTLE_S = 1.6, 0.4
"""How long viewers are there, or not; the beginning does not count."""
AGAIN_S = 4.0
"""As often the page asks for long documents of a run that measures."""
ORDER = (False, True, True, False)
EVENTS = 25
EVERY_S = 0.25
BEFORE_S, MARGIN = 5.0, 2.0
"""How long agents have to start, and how much longer than all blocks the run takes."""
TRIAL_S = 0.01
PLAN = """
name = "latency"
launches = 1
[[steps]]
name = "one-byte"
pattern = "pingpong"
sizes = ["1 B"]
stop = {{ rule = "time", trial = "{trial_s} s", trials = {trials} }}
options = {{ cpus = [0, 1], wait = "block" }}
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])  # type: ignore[union-attr]
    parser.add_argument("--blocks", type=int, default=16, help="of four parts each")
    blocks = parser.parse_args().blocks
    print(machine())
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        goals = [*sizes_and_times(folder / "large"), *event_goals(folder / "events")]
        save("serve", [*latency_goals(folder / "latency", blocks), *goals])


class Viewers:
    """Some that look at a run until they are told to leave."""

    def __init__(self, server: Server, run: str) -> None:
        self._server, self._run = server, run
        self._left = threading.Event()
        self._streams = [server.open(f"api/runs/{run}/events") for _ in range(VIEWERS)]
        self.events = 0
        works = [lambda one=one: self._listen(one) for one in self._streams]
        works += [self._ask] * VIEWERS
        self._threads = [threading.Thread(target=work) for work in works]
        for thread in self._threads:
            thread.start()

    def leave(self) -> None:
        self._left.set()
        for stream in self._streams:
            stream.fp.raw._sock.shutdown(2)  # type: ignore[union-attr]
        for thread in self._threads:
            thread.join()

    def _listen(self, stream: http.client.HTTPResponse) -> None:
        while line := stream.readline():
            self.events += line.startswith(b"event:")

    def _ask(self) -> None:
        while not self._left.is_set():
            self._server.open(f"api/runs/{self._run}").read()
            self._left.wait(AGAIN_S)


def latency_goals(folder: Path, blocks: int) -> list[Goal]:
    """Of each block, the time of the two parts with viewers against the two without."""
    folder.mkdir()
    plan, run = folder / "plan.toml", folder / "run"
    lasting_s = BEFORE_S + blocks * len(ORDER) * (BLOCK_S + SETTLE_S) * MARGIN
    trials = round(lasting_s / TRIAL_S)
    plan.write_text(PLAN.format(trials=trials, trial_s=TRIAL_S))
    command = [*WEFT, "run", str(plan), "--on", "lab:pair", "--out", str(run)]
    with serving(folder) as server, growing(folder / "watched"):
        measuring = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        while not (run / "samples.arrows").exists():
            assert measuring.poll() is None, "the run has ended"
            time.sleep(0.1)
        time.sleep(BEFORE_S)
        parts = [part(server, has) for _ in range(blocks) for has in ORDER]
    assert measuring.wait() == 0
    times = batch_times(RunFolder.open(run))
    assert times[0][0] < parts[0][0] and parts[-1][1] < times[-1][0], "parts are outside of the run"
    medians = [
        statistics.median(us for at, us in times if begin <= at < end) for begin, end in parts
    ]
    print(f"{len(times)} batches, half round trip {statistics.median(medians):.2f} us")
    ratios = [
        (medians[at + 1] + medians[at + 2]) / (medians[at] + medians[at + 3])
        for at in range(0, len(medians), len(ORDER))
    ]
    # The same parts in an order in which viewers cannot matter: how far the bench itself is off.
    nothing = [
        (medians[at] + medians[at + 2]) / (medians[at + 1] + medians[at + 3])
        for at in range(0, len(medians), len(ORDER))
    ]
    longer, noise = map(percent, (ratios, nothing))
    print(f"half round trip of 1 B with {VIEWERS} viewers, longer by: {text(longer)}")
    print(f"the same where half of both sides has viewers: {text(noise)}")
    what = f"half round trip of 1 B with {VIEWERS} viewers, longer than with none by (median over blocks)"
    return [
        Goal(what, longer.median, "%", at_most=1.0),
        Goal(f"{what}, upper end of its interval", longer.high, "%"),
        Goal("the same where half of either side has viewers", noise.median, "%"),
    ]


def part(server: Server, has_viewers: bool) -> tuple[float, float]:
    """The time that counts of a part with viewers or without, in s since 1970."""
    viewers = Viewers(server, "watched") if has_viewers else None
    time.sleep(SETTLE_S)
    begin_s = time.time()
    time.sleep(BLOCK_S)
    end_s = time.time()
    if viewers:
        viewers.leave()
        assert viewers.events > VIEWERS, "viewers got no events"
    return begin_s, end_s


def batch_times(run: RunFolder) -> list[tuple[float, float]]:
    """When each batch began, in s since 1970, and its half round trip, in us."""
    started_s = datetime.fromisoformat(run.meta.started).timestamp()
    columns = {name: run.samples[name].to_numpy() for name in run.samples.column_names}
    begin_s = started_s + columns["start_ns"] / 1e9
    half_us = columns["elapsed_ns"] / columns["messages"] / 2e3
    return list(zip(begin_s.tolist(), half_us.tolist(), strict=True))


@contextmanager
def growing(folder: Path) -> Iterator[None]:
    """A run that gets samples while this lasts, launch after launch."""
    writer, is_over = begin_run(folder), threading.Event()
    sizes = np.repeat(2 ** np.arange(20), 10)

    def grow() -> None:
        launch = 0
        while not is_over.wait(EVERY_S):
            noise = np.random.default_rng(launch).random(len(sizes))
            writer.append(rows(sizes, 28 + sizes / 100 + noise, launch=launch))
            launch += 1

    thread = threading.Thread(target=grow)
    thread.start()
    yield
    is_over.set()
    thread.join()


def sizes_and_times(folder: Path) -> list[Goal]:
    """First picture and memory, each time with a server that has just started."""
    write_large(folder / "run")
    cold_s, warm_s, peaks = [], [], []
    for _ in range(3):
        with serving(folder) as server:
            server.seconds("api/runs")
            cold_s.append(server.seconds("api/runs/run/points"))
            warm_s.append(server.seconds("api/runs/run/points"))
            server.seconds("api/runs/run/samples?step=0&size=1024")
            peaks.append(server.peak_mbytes)
    with serving(folder) as server:
        children = ChildPeak(server.pid)
        show_s = server.seconds("api/runs/run")
        figures_s = server.seconds("api/runs/run/figures")
        server.seconds("api/runs/run/points")
        peaks.append(server.peak_mbytes)
        child_mbytes = children.stop()
    cold, warm = statistics.median(cold_s), statistics.median(warm_s)
    print(
        f"first picture {cold:.3f} s, again {warm:.3f} s; documents {show_s:.2f} s, {figures_s:.2f} s"
    )
    print(
        f"most memory {max(peaks):.0f} MB; of a child that computes documents {child_mbytes:.0f} MB"
    )
    return [
        Goal("first picture's data of a run of 10^6 samples", cold, "s", at_most=1.0),
        Goal("the same again", warm, "s", at_most=1.0),
        Goal("the document of `weft show` of that run, beside the picture", show_s, "s"),
        Goal("the report's figures of that run", figures_s, "s"),
        Goal("most memory of the server", max(peaks), "MB", at_most=150.0),
        Goal("most memory of a command that it starts for such a document", child_mbytes, "MB"),
    ]


def event_goals(folder: Path) -> list[Goal]:
    """From samples that are handed to the kernel to the event that has their point."""
    folder.mkdir()
    writer = begin_run(folder / "run")
    delays_s = []
    with serving(folder) as server:
        writer.append(rows(np.array([1]), np.array([28.0])))
        stream = server.open("api/runs/run/events")
        wait_for_points(stream)
        for number in range(1, EVENTS + 1):
            time.sleep(0.1 + 0.037 * number)
            began_s = time.perf_counter()
            writer.append(rows(np.full(50, 2**number), np.full(50, 28.0) + np.arange(50)))
            wait_for_points(stream)
            delays_s.append(time.perf_counter() - began_s)
    median, most = statistics.median(delays_s), max(delays_s)
    print(f"from a sample on the disk to its event: median {median:.3f} s, most {most:.3f} s")
    return [
        Goal("from a sample on the disk to its event, median", median, "s"),
        Goal(f"the same, longest of {EVENTS}", most, "s", at_most=1.0),
    ]


def wait_for_points(stream: http.client.HTTPResponse) -> None:
    while stream.readline() != b"event: points\n":
        pass
    assert json.loads(stream.readline().removeprefix(b"data: "))["points"]


if __name__ == "__main__":
    main()
