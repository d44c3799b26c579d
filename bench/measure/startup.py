"""How long until all agents are ready?

How long it takes until so many agents are ready, started from here or in a tree, over a command template.

usage: bench/run.py startup [--runs N] [--most NODES]

All nodes are this machine, so its processors do the work of all of them: what a login costs there is part of the times.

Takes about 2 minutes; `--most 2048` goes further. With 2,048 agents in a tree of 16 on two cores, 80 to 334
of them missed the deadline of 20 s: each of the 16 relays has 64 logins at a time, and all share the cores.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import tempfile
import time
from pathlib import Path

from common.machine import machine
from common.results import Goal, save
from weft.measure.testbed.agent.agent import Agent
from weft.measure.testbed.hosts.testbed import Hosts
from weft.measure.testbed.open import open_testbed

COUNTS = (1, 8, 64, 128, 256, 512, 1024, 2048)
USUALLY_MOST = 512
TREES = (0, 4, 16)
TARGET_NODES, TARGET_S = 64, 3.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=5, help="alternating runs of each")
    parser.add_argument("--most", type=int, default=USUALLY_MOST, help="nodes")
    arguments = parser.parse_args()
    print(machine())
    print(
        f"\nseconds until all agents are ready, {arguments.runs} alternating runs: median (range)"
    )
    with tempfile.TemporaryDirectory() as folder:
        first_s = ready_s(Path(folder), 1, 0)
        print(f"the first agent, which is copied: {first_s:.2f}")
        counts = (one for one in COUNTS if one <= arguments.most)
        goals = [print_row(Path(folder), count, arguments.runs) for count in counts]
    save("startup", goals)


def print_row(folder: Path, count: int, runs: int) -> Goal:
    """One number of nodes, with each tree that makes sense for it."""
    trees = [tree for tree in TREES if 4 * tree <= count]
    times: dict[int, list[float]] = {tree: [] for tree in trees}
    for _ in range(runs):
        for tree in trees:
            times[tree].append(ready_s(folder, count, tree))
    shown = [f"{_name(tree)} {_spread(times[tree])}" for tree in trees]
    print(f"{count:4d} nodes: {', '.join(shown)}{_verdict(count, times[0])}")
    target_s = TARGET_S if count == TARGET_NODES else None
    return Goal(f"{count} agents ready", statistics.median(times[0]), "s", at_most=target_s)


def ready_s(folder: Path, count: int, tree: int) -> float:
    """Seconds from a request to the last agent that is ready; fails when one is not."""
    path = folder / "hosts.toml"
    path.write_text(
        f'tree = {tree}\ncache = "{folder}"\ncommand = "env NODE={{node}}"\n'
        f'[[nodes]]\nids = "n[1-{count}]"\naddress = "127.0.0.1"\n'
    )
    begin = time.perf_counter()
    with open_testbed(f"hosts:{path}") as testbed:
        assert isinstance(testbed, Hosts)
        return asyncio.run(_start(testbed, begin))


async def _start(testbed: Hosts, begin: float) -> float:
    started = await testbed.start_agents(range(len(testbed.nodes)))
    taken_s = time.perf_counter() - begin
    agents = [one for one in started.values() if isinstance(one, Agent)]
    await asyncio.gather(*(agent.close() for agent in agents))
    if len(agents) < len(started):
        raise SystemExit(f"only {len(agents)} of {len(started)} agents were ready")
    return taken_s


def _name(tree: int) -> str:
    return f"tree of {tree}" if tree else "from here"


def _spread(times_s: list[float]) -> str:
    return f"{statistics.median(times_s):.2f} ({min(times_s):.2f} to {max(times_s):.2f})"


def _verdict(count: int, times_s: list[float]) -> str:
    if count != TARGET_NODES:
        return ""
    met = statistics.median(times_s) < TARGET_S
    return f"; target < {TARGET_S:g}: {'met' if met else 'MISSED'}"


if __name__ == "__main__":
    main()
