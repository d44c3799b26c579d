"""What does a site's agent cost?

What a site's agent costs: processor time and memory while it probes 1, 4 and 10 links once a second, and answers as
many probes.

usage: bench/run.py watch_agent [--seconds 300] [LINKS ...]

Two agents of this machine probe each other by each kind, over loopback, for each number of links. All run at once:
processor time is counted by process. Takes 5 minutes and a half.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import subprocess
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import msgspec

from common.machine import machine
from common.results import Goal, save
from weft.base import binaries
from weft.measure.testbed.agent.reply import WatchStatus
from weft.measure.testbed.agent.request import WatchConfig, WatchedLink

LINKS = (1, 4, 10)
FIRST_PORT = 9800
WARM_UP_S = 15.0
CPU_GOAL = 0.5
MEMORY_GOAL = 10.0


@dataclass(frozen=True)
class Cost:
    """`cpu` in percent of one processor, memory in MB (`own`: without the program's file), probes a second."""

    cpu: float
    resident: float
    own: float
    rate: float
    lost: int


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])  # type: ignore[union-attr]
    parser.add_argument("links", nargs="*", type=int, default=LINKS)
    parser.add_argument("--seconds", type=float, default=300.0)
    asked = parser.parse_args()
    print(machine())
    print(f"load {os.getloadavg()[0]:.1f} before")
    goals = [
        goal for count, cost in measure(asked.links, asked.seconds) for goal in judge(count, cost)
    ]
    print(f"load {os.getloadavg()[0]:.1f} after")
    save("watch_agent", goals)


def measure(counts: list[int], seconds: float) -> list[tuple[int, Cost]]:
    """The dearer of the two agents of each number of links."""
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        pairs = [
            (
                count,
                stack.enter_context(pair(Path(folder) / str(count), count, FIRST_PORT + 20 * at)),
            )
            for at, count in enumerate(counts)
        ]
        time.sleep(WARM_UP_S)
        before = {agent: used(agent) for _, agents in pairs for agent in agents}
        time.sleep(seconds)
        return [
            (count, max((cost(agent, before[agent]) for agent in agents), key=lambda one: one.cpu))
            for count, agents in pairs
        ]


def judge(count: int, found: Cost) -> list[Goal]:
    links = f"{count} link{'s' * (count > 1)}"
    print(
        f"{links:>9}: {found.cpu:.3f} % of a processor, {found.resident:.1f} MB ({found.own:.1f} MB its own), "
        f"{found.rate:.2f} probes/s, {found.lost} lost"
    )
    return [
        Goal(f"{links}: processor", found.cpu, "%", at_most=CPU_GOAL),
        Goal(f"{links}: memory", found.resident, "MB", at_most=MEMORY_GOAL),
        Goal(f"{links}: probes", found.rate / count, "/s and link", at_least=0.99),
    ]


@dataclass(frozen=True)
class Agent:
    """A process that watches, and its folder."""

    pid: int
    folder: Path

    @property
    def status(self) -> WatchStatus:
        return msgspec.json.decode((self.folder / "status.json").read_bytes(), type=WatchStatus)


@contextlib.contextmanager
def pair(folder: Path, count: int, port: int) -> Iterator[list[Agent]]:
    """Two agents that probe each other over so many links."""
    processes, agents = [], []
    try:
        for turn, ports in enumerate(((port, port + 10), (port + 10, port))):
            place = folder / str(turn)
            place.mkdir(parents=True)
            told = config(count, turn, *ports)
            (place / "config.json").write_bytes(msgspec.json.encode(told))
            command = [str(binaries.find("weft-probe")), "watch", str(place)]
            processes.append(subprocess.Popen(command))
            agents.append(Agent(processes[-1].pid, place))
        yield agents
    finally:
        for process in processes:
            process.terminate()
        for process in processes:
            process.wait(20)


def config(count: int, turn: int, own_port: int, peer_port: int) -> WatchConfig:
    links = tuple(
        WatchedLink(
            link=link,
            peer="127.0.0.1",
            port=peer_port,
            usual_port=peer_port,
            kinds=("icmp", "tcp-connect", "tcp-echo", "udp-echo"),
            sizes=(8, 20_000),
            interval_ms=1000,
            timeout_ms=2000,
            turn=(turn, 2),
        )
        for link in range(count)
    )
    return WatchConfig(
        site=f"site-{turn}",
        serial=1,
        token="5a" * 32,
        id=(1,) * 8,
        port=own_port,
        spool_bytes=1 << 26,
        links=links,
    )


def used(agent: Agent) -> tuple[float, float]:
    """Seconds of processor time, and of the clock."""
    fields = Path(f"/proc/{agent.pid}/stat").read_text().rpartition(")")[2].split()
    ticks = int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK"), time.monotonic()


def cost(agent: Agent, before: tuple[float, float]) -> Cost:
    now, status = used(agent), agent.status
    lines = Path(f"/proc/{agent.pid}/status").read_text().splitlines()
    kb = {
        name: int(value.split()[0])
        for name, _, value in (line.partition(":") for line in lines)
        if "kB" in value
    }
    return Cost(
        cpu=100 * (now[0] - before[0]) / (now[1] - before[1]),
        resident=kb["VmRSS"] / 1000 * 1.024,
        own=kb["RssAnon"] / 1000 * 1.024,
        rate=sum(link.sent for link in status.links) / (status.written_s - status.started_s),
        lost=sum(link.lost for link in status.links),
    )


if __name__ == "__main__":
    main()
