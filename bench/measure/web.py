"""Does the web load generator agree with wrk?

The load generator for web servers beside wrk, and what a planted stall does to response times.

usage: bench/run.py web [--rounds N]
tier: peers

Throughput: 16 connections that stay open and do not think, from a process on processor 0 that sleeps while it waits to
a real Apache on processor 1: weft's closed loop and wrk in turns, with the same requests for the same page, against
servers of the same configuration. Processor time of both ends says which of them is the limit. wrk's server is that of
a run whose one user asks 5 times a second, and sleeps too: one that spins takes half of wrk's processor.

Then all processes of the server are stopped for a second of ten: requests of an open loop are due at any time, so the
99th percentile of the response times is 1 s less a hundredth of ten seconds, 0.9 s. A closed loop stops with the
server, and hardly sees it.

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
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pyarrow.compute as pc

from common.machine import machine
from common.results import Goal, save
from support.live.web_servers import servers
from weft.runs.columns.tables import EVIDENCE_NAME
from weft.runs.folder import RunFolder
from weft.understand.kinds.loads.web import WebPoint, web_points

USERS, TIME_S = 16, 5.0
STALL_S, WINDOW_S = 1.0, 10.0
PAGE_BYTES, REQUEST_BYTES = 5000, 300


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])  # type: ignore[union-attr]
    parser.add_argument("--rounds", type=int, default=3)
    rounds = parser.parse_args().rounds
    print(machine())
    save("web", [*throughput(rounds), *stall()])


@dataclass(frozen=True)
class Rate:
    """Pages per second, and processor time for a page, in us, of the users and of the server."""

    pages_per_s: float
    users_us: float
    server_us: float

    @property
    def text(self) -> str:
        """With the busy share of both processors, of which the busier one is the limit."""
        users, server = (each * self.pages_per_s / 1e4 for each in (self.users_us, self.server_us))
        times = f"users {self.users_us:.1f} us a page ({users:.0f} % busy)"
        times += f", server {self.server_us:.1f} us ({server:.0f} %)"
        return f"{self.pages_per_s:.0f} pages/s, {times}"


def throughput(rounds: int) -> Iterator[Goal]:
    """Pages per second of both, in turns."""
    pairs = []
    for _ in range(rounds):
        with tempfile.TemporaryDirectory() as name:
            ours = closed_loop(Path(name) / "run")
            with idle_server(Path(name) / "idle") as address:
                theirs = wrk(address)
        print(f"weft: {ours.text}\nwrk:  {theirs.text}", flush=True)
        pairs.append((ours, theirs))
    off = 100 * abs(middle(ours.pages_per_s / theirs.pages_per_s for ours, theirs in pairs) - 1)
    yield Goal("closed loop: throughput differs from wrk's by", off, "%", at_most=10)
    for name, rates in zip(("weft", "wrk"), zip(*pairs, strict=True), strict=True):
        yield Goal(f"{name}: pages", middle(one.pages_per_s for one in rates), "/s")
        yield Goal(f"{name}: users' time for a page", middle(one.users_us for one in rates), "us")
        yield Goal(
            f"{name}: server's time for a page", middle(one.server_us for one in rates), "us"
        )


def middle(values: Iterable[float]) -> float:
    return statistics.median(values)


def closed_loop(folder: Path) -> Rate:
    """What weft's users get."""
    started(folder, "closed", USERS, "1 ns", TIME_S).wait()
    (point,) = points(folder)
    assert point.live
    server_us = sum(
        point.live.processor_us[f"server, {where}"].median for where in ("user", "system")
    )
    rows = (
        RunFolder.open(folder).side_table(EVIDENCE_NAME).filter(pc.field("node") == 0).to_pylist()
    )
    spent = {
        name: sum(row["value"] for row in rows if row["counter"] == name)
        for name in ("process_user_ns", "process_system_ns", "elapsed_ns")
    }
    share = (spent["process_user_ns"] + spent["process_system_ns"]) / spent["elapsed_ns"]
    return Rate(point.pages_per_s, 1e6 * share / point.pages_per_s, server_us)


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
    """A run with users on processor 0, which sleep while they wait as wrk does, and Apache on processor 1."""
    settings = {"loop": loop, "think": think, "time": f"{time_s:g} s"}
    settings |= {"options.cpus": "[0, 1]", "options.wait": "block"}
    sets = [
        word
        for key, value in settings.items()
        for word in ("--set", f"steps.webserver.{key}={value}")
    ]
    command = ["run", "webserver", "--on", "local:2", "--users", f"[{users}]", "--server", "apache"]
    command += ["--launches", "1", "--out", str(folder), *sets]
    return subprocess.Popen([sys.executable, "-m", "weft", *command])


def points(folder: Path) -> list[WebPoint]:
    return web_points(RunFolder.open(folder), [])


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


def page_address() -> str:
    (folder,) = set(servers().values())
    at = re.search(r"^Listen (\S+)", (folder / "server.conf").read_text(), re.M)
    assert at
    (page,) = folder.glob(f"pages/*/{PAGE_BYTES}")
    return f"http://{at[1]}/{page.parent.name}/{page.name}"


def wrk(address: str) -> Rate:
    """What as many connections of wrk get, with requests as long as weft's."""
    path = address.split("/", 3)[3]
    others = f"GET /{path} HTTP/1.1\r\nHost: weft\r\nX-Pad: \r\n\r\n"
    pad = "x" * (REQUEST_BYTES - len(others))
    command = f"taskset -c 0 wrk -t 1 -c {USERS} -d {TIME_S:g}s {address}".split()
    command += ["-H", "Host: weft", "-H", f"X-Pad: {pad}"]
    before = (used_s(servers()), os.times())
    said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    after = (used_s(servers()), os.times())
    found = re.search(r"(\d+) requests in .*Requests/sec:\s+([\d.]+)", said, re.S)
    assert found and "Non-2xx" not in said, said
    server_s = after[0] - before[0]
    mine = [times.children_user + times.children_system for _, times in (before, after)]
    pages = int(found[1])
    return Rate(float(found[2]), 1e6 * (mine[1] - mine[0]) / pages, 1e6 * server_s / pages)


def used_s(processes: Iterable[int]) -> float:
    """Processor time of all of them so far."""
    stats = [Path(f"/proc/{process}/stat").read_text().rpartition(") ")[2] for process in processes]
    return sum(sum(map(int, stat.split()[11:13])) for stat in stats) / os.sysconf("SC_CLK_TCK")


def send(processes: Iterable[int], number: signal.Signals) -> None:
    for process in processes:
        os.kill(process, number)


if __name__ == "__main__":
    main()
