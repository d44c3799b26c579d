"""How fast and how right are simulated kernels?

How long simulated applications take, and how well a run is predicted from others on the same network.

usage: bench/run.py kernels [--part simulated|predicted]

Simulated are a linear all-to-all as a trace, and allreduce in all of its algorithms.

1,024 ranks on a fat tree of 16-port switches. The trace is text of GOAL as LogGOPSim's Schedgen writes it: all sends
and receives of a rank may go at once, and each begins with the rank behind it. What repeats after 64 nodes is played
by these.

Where all ranks begin with rank 0 nothing repeats, and with acknowledgements all transfers share limits; that took
80 s on a quiet machine and is not timed.

Predicted are collectives, halo exchanges and traffic on a lab of 16 hosts, from what `latency`, `xray` and
`random-permutations` measured there before. It says little on a machine that does something else: its nodes share the
processors. Each step is shown when it is done; takes at most about eight minutes.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import weft
from common.machine import machine
from common.results import Goal, save
from weft import _core
from weft.base import catalog
from weft.base.statistics import median_interval
from weft.understand.summary.predictions import JudgedKernel

RANKS = 1024
BYTES = 10_000
FABRIC = "sim:fat-tree(k=16)"
FREE = "sim:fat-tree(k=16,segments_per_ack=0)"
SIZES = [f"{1 << power} B" for power in range(3, 23, 2)]
RACKS = """
name = "racks"
[[hosts]]
ids = "n[1-16]"
attach = "rack[1-2]"
per_switch = 8
link = { rate = "1 Gb/s", delay = "5 us" }
[[links]]
between = ["rack1", "rack2"]
rate = "2 Gb/s"
"""
HOSTS_MBPS, CARRIED_MBPS = 16_000, 60
"""What all hosts send at full scale, and what a processor of this machine forwards."""
MEASURED: dict[str, dict[str, Any]] = {
    "latency": {"launches": 3},
    "xray": {"settings": {"steps.search.time": "60 s"}},
    "random-permutations": {"launches": 2},
}
"""Plans by which the network is measured, and what is changed of them."""
_SIZES = {"sizes": ["1 KiB", "16 KiB", "64 KiB"]}
_TRAFFIC = {"seconds": 60, "counts": [1, 4, 16]}
PREDICTED: dict[str, dict[str, dict[str, object]]] = {
    "traffic": {"bottleneck": _TRAFFIC, "even": _TRAFFIC},
    "halo": {"halo": {"sizes": ["1 KiB", "16 KiB"]}},
    "collectives": {"allreduce": _SIZES, "alltoall": _SIZES, "bcast": _SIZES},
}
"""By plan and step: what is changed, so that they take minutes at such a scale."""
LATEST_S = 400
"""After so long nothing new begins."""
ALGORITHMS = ["recursive-doubling", "rabenseifner", "binomial", "hierarchical"]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--part", choices=PARTS, action="append", help="only this one")
    chosen = parser.parse_args()
    print(machine(), flush=True)
    for part in chosen.part or PARTS:
        with tempfile.TemporaryDirectory() as temporary:
            goals = PARTS[part](Path(temporary))
        for goal in goals:
            print(goal.what, goal.measured, goal.unit, goal.text or "", goal.is_met, flush=True)
        save("kernels", goals, part)


def simulated(folder: Path) -> list[Goal]:
    """How long simulations take."""
    return [*replayed(folder), *reduced(folder)]


def predicted(folder: Path) -> list[Goal]:
    """A lab's network is measured, then each step is predicted from that and carried out. One that fails is left out,
    and so is what would begin too late."""
    begun = time.perf_counter()
    fabric = folder / "racks.toml"
    fabric.write_text(RACKS)
    on, scale = f"lab:{fabric}", CARRIED_MBPS * len(os.sched_getaffinity(0)) / HOSTS_MBPS
    known = []
    for plan, changed in MEASURED.items():
        weft.run(plan, on, scale=scale, out=folder / plan, **changed)
        known.append(folder / plan)
        print(f"{plan}: measured after {time.perf_counter() - begun:.0f} s", flush=True)
    twin = weft.make_twin(known, out=folder / "twin").folder
    found: dict[str, list[JudgedKernel]] = {plan: [] for plan in PREDICTED}
    for plan, step in steps():
        out = folder / f"{plan}-{step['name']}"
        if time.perf_counter() - begun > LATEST_S:
            print(f"{out.name}: left out, {LATEST_S} s have passed", flush=True)
            continue
        try:
            whole = {"name": plan, "steps": [step]}
            run = weft.run(whole, on, scale=scale, out=out, predict=twin)
        except weft.WeftError as error:
            print(f"{out.name}: {error}", flush=True)
            continue
        print(out.name, *run.lines(), sep="\n  ", flush=True)
        found[plan] += run.prediction.kernels if run.prediction else []
    return [goal for plan, kernels in found.items() for goal in errors(plan, kernels)]


def steps() -> Iterator[tuple[str, dict[str, object]]]:
    """What is predicted, step by step, each with its plan's name."""
    for plan, changed in PREDICTED.items():
        path = catalog.folder("plan") / f"{plan}.toml"
        for step in tomllib.loads(path.read_text())["steps"]:
            if step["name"] in changed:
                yield plan, step | changed[step["name"]]


def errors(plan: str, kernels: list[JudgedKernel]) -> list[Goal]:
    """How far off the predictions of a plan were, and how many lay in their intervals."""
    ratios = [one.ratio.median for one in kernels if one.ratio]
    if not ratios:
        return []
    off = [100 * abs(ratio - 1) for ratio in ratios]
    within = 100 * sum(one.verdict == "within" for one in kernels) / len(kernels)
    most = 10 if plan == "traffic" else None
    title = f"{plan}, predicted from runs on the same network"
    return [
        Goal(f"{title}: error, median of {len(off)}", median_interval(off).median, "%"),
        Goal(f"{title}: error, worst", max(off), "%", at_most=most),
        Goal(f"{title}: kernels within their intervals", within, "%"),
    ]


def replayed(folder: Path) -> list[Goal]:
    """The trace: read, and played with acknowledgements and without."""
    trace = folder / "linear.goal"
    trace.write_text(linear_alltoall(RANKS))
    small = folder / "small.goal"
    small.write_text(linear_alltoall(2))
    first_s = seconds(lambda: weft.run("trace", FREE, out=folder / "small", trace=small))
    read_s = seconds(lambda: _core.Program.parse(trace.read_bytes(), trace.name))
    free_s = seconds(lambda: weft.run("trace", FREE, out=folder / "free", trace=trace))
    whole_s = seconds(lambda: weft.run("trace", FABRIC, out=folder / "whole", trace=trace))
    title = "linear all-to-all of 1,024 ranks"
    return [
        Goal("the first run of a process, of two ranks, with imports", first_s, "s"),
        Goal(f"{title}: read", read_s, "s"),
        Goal(f"{title}, acknowledgements free: run", free_s, "s", at_most=2),
        Goal(f"{title}: run", whole_s, "s", at_most=2),
    ]


def reduced(folder: Path) -> list[Goal]:
    """Allreduce of ten sizes, without its ring and with it."""
    few_s = seconds(lambda: allreduce(folder / "few", ALGORITHMS))
    all_s = seconds(lambda: allreduce(folder / "all", [*ALGORITHMS, "ring"]))
    title = "allreduce of 1,024 hosts, ten sizes"
    return [
        Goal(f"{title}, all algorithms but ring", few_s, "s"),
        Goal(f"{title}, all algorithms", all_s, "s", at_most=10),
    ]


def allreduce(out: Path, algorithms: list[str]) -> weft.Run:
    step = {"name": "allreduce", "pattern": "collective", "operation": "allreduce"}
    plan = {"name": "allreduce", "steps": [step | {"sizes": SIZES, "algorithms": algorithms}]}
    return weft.run(plan, FABRIC, out=out)


def linear_alltoall(count: int) -> str:
    """In step k every rank sends to the k-th behind it, and receives from the k-th before it."""
    ranks = [f"num_ranks {count}"]
    for rank in range(count):
        ends = [((rank + step) % count, (rank - step) % count) for step in range(1, count)]
        lines = [f"send {BYTES}b to {dst}\nrecv {BYTES}b from {src}" for dst, src in ends]
        ranks.append(f"rank {rank} {{\n" + "\n".join(lines) + "\n}")
    return "\n".join(ranks)


def seconds(work: Callable[[], object]) -> float:
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


PARTS: dict[str, Callable[[Path], list[Goal]]] = {"simulated": simulated, "predicted": predicted}


if __name__ == "__main__":
    main()
