"""How long simulated applications take: a linear all-to-all as a trace, and allreduce in all of its algorithms.

1,024 ranks on a fat tree of 16-port switches. The trace is text of GOAL as LogGOPSim's Schedgen writes it: all sends
and receives of a rank may go at once, and each begins with the rank behind it. What repeats after 64 nodes is played
by these.

Where all ranks begin with rank 0 nothing repeats, and with acknowledgements all transfers share limits; that took
80 s on a quiet machine and is not timed.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import weft
from common.machine import machine
from common.results import Goal, save
from weft import _core

RANKS = 1024
BYTES = 10_000
FABRIC = "sim:fat-tree(k=16)"
FREE = "sim:fat-tree(k=16,segments_per_ack=0)"
SIZES = [f"{1 << power} B" for power in range(3, 23, 2)]
ALGORITHMS = ["recursive-doubling", "rabenseifner", "binomial", "hierarchical"]


def main() -> None:
    print(machine(), flush=True)
    with tempfile.TemporaryDirectory() as temporary:
        goals = [*replayed(Path(temporary)), *reduced(Path(temporary))]
    for goal in goals:
        print(goal.what, goal.measured, goal.unit, goal.text or "", goal.is_met, flush=True)
    save("kernels", goals)


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


if __name__ == "__main__":
    main()
