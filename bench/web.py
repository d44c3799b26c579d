"""The load generator for web servers beside wrk, and what a planted stall does to response times.

usage: bench/web.py [--rounds N]

Throughput: 16 connections that do not think, one page after the other, from processor 0 to a real Apache on processor
1: weft's closed loop and wrk in turns, against servers of the same configuration. Then all processes of the server are
stopped for a second of ten: requests of an open loop are due at any time, so the 99th percentile of the response times
is 1 s less a hundredth of ten seconds, 0.9 s. A closed loop stops with the server, and hardly sees it.

Takes about 2 minutes. Needs apache2 and wrk. Other load shows in both throughputs.
"""

from __future__ import annotations

import argparse
import os
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from common.machine import machine
from common.results import Goal, save
from weft.diagnosis.node.web import WebPoint, web_points
from weft.runs.folder import Run

USERS, TIME_S = 16, 5.0
STALL_S, WINDOW_S = 1.0, 10.0
PAGE_BYTES = 5000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])  # type: ignore[union-attr]
    parser.add_argument("--rounds", type=int, default=3)
    rounds = parser.parse_args().rounds
    print(machine())
    save("web", [*throughput(rounds), *stall()])


def throughput(rounds: int) -> Iterator[Goal]:
    """Pages per second of both, in turns."""
    ratios = []
    for _ in range(rounds):
        with tempfile.TemporaryDirectory() as name:
            run = started(Path(name) / "run", "closed", USERS, "1 ns", TIME_S)
            run.wait()
            (ours,) = points(Path(name) / "run")
            with idle_server(Path(name) / "idle") as address:
                theirs = wrk(address)
        print(f"weft {ours.pages_per_s:.0f} pages/s, wrk {theirs:.0f} pages/s")
        ratios.append(ours.pages_per_s / theirs)
    off = 100 * abs(statistics.median(ratios) - 1)
    yield Goal("closed loop: throughput differs from wrk's by", off, "%", at_most=10)


def stall() -> Iterator[Goal]:
    """The 99th percentile of both loops."""
    expected_s = STALL_S - 0.01 * WINDOW_S
    for loop, users, think in (("open", 20, "20 ms"), ("closed", 20, "20 ms")):
        with tempfile.TemporaryDirectory() as name:
            run = started(Path(name) / "run", loop, users, think, WINDOW_S)
            wait_for_server(Path(name) / "run")
            time.sleep(4)
            stopped = servers()
            send(stopped, signal.SIGSTOP)
            time.sleep(STALL_S)
            send(stopped, signal.SIGCONT)
            run.wait()
            (point,) = points(Path(name) / "run")
        p99_s = point.p99_us / 1e6
        print(f"{loop} loop: {point.pages_per_s:.0f} pages/s, 99 % within {p99_s:.4f} s")
        if loop == "open":
            off = 100 * abs(p99_s / expected_s - 1)
            yield Goal(
                "a stall of 1 s in 10 s: p99 of the open loop is off by", off, "%", at_most=5
            )
        else:
            yield Goal("the same stall: p99 of the closed loop", 1e3 * p99_s, "ms")


def started(
    folder: Path, loop: str, users: int, think: str, time_s: float
) -> subprocess.Popen[bytes]:
    """A run with users on processor 0 and Apache on processor 1."""
    settings = {"loop": loop, "think": think, "time": f"{time_s:g} s", "options.cpus": "[0, 1]"}
    sets = [
        word
        for key, value in settings.items()
        for word in ("--set", f"steps.webserver.{key}={value}")
    ]
    command = ["run", "webserver", "--on", "local:2", "--users", f"[{users}]", "--server", "apache"]
    command += ["--launches", "1", "--out", str(folder), *sets]
    return subprocess.Popen([sys.executable, "-m", "weft", *command])


def points(folder: Path) -> list[WebPoint]:
    return web_points(Run.open(folder), [])


@contextmanager
def idle_server(folder: Path) -> Iterator[str]:
    """The address of a page on a server that a run has started, and hardly uses."""
    run = started(folder, "closed", 1, "200 ms", 60.0)
    try:
        wait_for_server(folder)
        time.sleep(2)
        yield page_address()
    finally:
        run.send_signal(signal.SIGINT)
        run.wait()


def wait_for_server(folder: Path) -> None:
    while not ((folder / "run.json").exists() and servers()):
        time.sleep(0.05)


def servers() -> dict[int, Path]:
    """Processes of web servers that weft started, with their configurations."""
    found = {}
    for process in Path("/proc").glob("[0-9]*"):
        try:
            words = (process / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        files = [Path(os.fsdecode(word)) for word in words if b"/weft-web-" in word]
        if files:
            found[int(process.name)] = files[0]
    return found


def page_address() -> str:
    (file,) = set(servers().values())
    at = re.search(r"^Listen (\S+)", file.read_text(), re.M)
    assert at
    (page,) = file.parent.glob(f"pages/*/{PAGE_BYTES}")
    return f"http://{at[1]}/{page.parent.name}/{page.name}"


def wrk(address: str) -> float:
    """Pages per second of as many connections on processor 0."""
    command = f"taskset -c 0 wrk -t 1 -c {USERS} -d {TIME_S:g}s {address}".split()
    said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    found = re.search(r"Requests/sec:\s+([\d.]+)", said)
    assert found and "Non-2xx" not in said, said
    return float(found[1])


def send(processes: dict[int, Path], number: signal.Signals) -> None:
    for process in processes:
        os.kill(process, number)


if __name__ == "__main__":
    main()
