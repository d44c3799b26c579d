"""How long simulated applications take, and how well a run is predicted from others on the same network.

usage: bench/kernels.py [--part simulated|predicted]

Simulated are a linear all-to-all as a trace, and allreduce in all of its algorithms.

1,024 ranks on a fat tree of 16-port switches. The trace is text of GOAL as LogGOPSim's Schedgen writes it: all sends
and receives of a rank may go at once, and each begins with the rank behind it. What repeats after 64 nodes is played
by these.

Where all ranks begin with rank 0 nothing repeats, and with acknowledgements all transfers share limits; that took
80 s on a quiet machine and is not timed.

Predicted are collectives, halo exchanges and traffic on a lab of 32 hosts, from what `latency`, `xray` and
`random-permutations` measured there before. It says little on a machine that does something else: its nodes share the
processors. Takes about 20 minutes.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import weft
from common.machine import machine
from common.results import Goal, save
from weft import _core
from weft.diagnosis.predictions import Beside
from weft.statistics import median_interval

RANKS = 1024
BYTES = 10_000
FABRIC = "sim:fat-tree(k=16)"
FREE = "sim:fat-tree(k=16,segments_per_ack=0)"
SIZES = [f"{1 << power} B" for power in range(3, 23, 2)]
LAB = "lab:two-racks"
HOSTS_MBPS, CARRIED_MBPS = 32_000, 60
"""What all hosts send at full scale, and what a processor of this machine forwards."""
MEASURED = ("latency", "xray", "random-permutations")
PREDICTED: dict[str, dict[str, object]] = {
    "traffic": {"steps.*.seconds": 60},
    "halo": {"steps.halo.sizes": ["1 KiB", "16 KiB"]},
    "collectives": {"steps.*.sizes": ["1 KiB", "16 KiB", "64 KiB"]},
}
"""Plans and what is changed of them, so that they take minutes at such a scale."""
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
    """A lab's network is measured, then each plan is predicted from that and carried out."""
    scale = CARRIED_MBPS * len(os.sched_getaffinity(0)) / HOSTS_MBPS
    known = [folder / plan for plan in MEASURED]
    for out in known:
        weft.run(out.name, LAB, scale=scale, out=out)
    goals = []
    for plan, settings in PREDICTED.items():
        run = weft.run(plan, LAB, scale=scale, out=folder / plan, settings=settings, predict=known)
        print(plan, *run.lines(), sep="\n  ", flush=True)
        assert run.prediction is not None
        goals += errors(plan, run.prediction.kernels)
    return goals


def errors(plan: str, kernels: list[Beside]) -> list[Goal]:
    """How far off the predictions of a plan were, and how many lay in their intervals."""
    ratios = [one.ratio.median for one in kernels if one.ratio]
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
    trace.write_text(linear_alltoall())
    read_s = seconds(lambda: _core.Program.parse(trace.read_bytes(), trace.name))
    free_s = seconds(lambda: weft.run("trace", FREE, out=folder / "free", trace=trace))
    whole_s = seconds(lambda: weft.run("trace", FABRIC, out=folder / "whole", trace=trace))
    title = "linear all-to-all of 1,024 ranks"
    return [
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


def linear_alltoall() -> str:
    """In step k every rank sends to the k-th behind it, and receives from the k-th before it."""
    ranks = [f"num_ranks {RANKS}"]
    for rank in range(RANKS):
        ends = [((rank + step) % RANKS, (rank - step) % RANKS) for step in range(1, RANKS)]
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
