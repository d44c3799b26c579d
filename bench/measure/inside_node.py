"""Are shared memory and sockets near their limits?

Shared memory and Unix sockets beside their limits: a bare spin loop on two counters, and NPtcp over loopback.

usage: bench/run.py inside_node [--runs N]
tier: peers

Takes about a minute. Shared memory can be faster than two counters: its messages go through 64 cache lines in
turn, while the counters' lines are contended by the end that spins and the end that writes.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from common.checkout import PEER_SOURCES
from common.machine import machine
from common.results import Goal, save
from weft.measure.execute.options.run_options import RunOptions
from weft.measure.execute.request import RunRequest, start_run
from weft.understand.curve.points import points

CPUS = (0, 1)
ROUND_TRIPS, BATCHES = 200_000, 10
"""A batch of the bare loop lasts some 20 ms; as many batches as weft has in a launch."""
LOOPS = ("plain", "pause")
OURS = "weft, shm"
SIZES = (1, 8, 56, 1024, 65536, 1 << 20)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])  # type: ignore[union-attr]
    parser.add_argument("--runs", type=int, default=15, help="alternating runs")
    runs = parser.parse_args().runs
    print(machine())
    save("inside_node", [*print_spin_ratio(runs), *print_transports(runs)])


def print_spin_ratio(runs: int) -> list[Goal]:
    """The physical limit before and after shared memory, round by round.

    A virtual machine's processors are moved by its host every few seconds, between places where a line changes hands
    in 40 ns and others where it takes 250. So only what was measured within the same second is compared.
    """
    if shutil.which("cc") is None:
        print("no cc: the bare spin loop is left out")
        return []
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "spin_counters"
        source = PEER_SOURCES / "spin_counters.c"
        subprocess.run(["cc", "-O2", "-Wall", "-o", str(program), str(source)], check=True)
        rounds = [Round.measured(program) for _ in range(runs)]
    print(f"\nhalf round trip of 1 B, ns, processors {CPUS[0]} and {CPUS[1]}   (n = {runs})")
    for loop in LOOPS:
        print_spread(f"counters, {loop}", [one.bare_ns(loop) for one in rounds], "8.1f")
    print_spread(OURS, [one.ours_ns for one in rounds], "8.1f")
    ratios = [one.ratio() for one in rounds]
    print_spread(f"{OURS} / faster loop of the round", ratios, "8.3f")
    what = "half round trip of 1 B, shm / spinning on two counters"
    return [Goal(what, statistics.median(ratios), at_most=1.1)]


def print_spread(name: str, values: list[float], form: str) -> None:
    low, median, high = min(values), statistics.median(values), max(values)
    print(f"  {name:36s} {median:{form}}   [{low:{form}} .. {high:{form}}]")


@dataclass(frozen=True)
class Round:
    """Shared memory between two runs of each loop."""

    before_ns: dict[str, float]
    ours_ns: float
    after_ns: dict[str, float]

    @classmethod
    def measured(cls, program: Path) -> Round:
        before_ns = {loop: spin_ns(program, loop) for loop in LOOPS}
        ours_ns = 1e3 * half_round_trips_us("shm", (1,))[1]
        return cls(before_ns, ours_ns, {loop: spin_ns(program, loop) for loop in LOOPS})

    def bare_ns(self, loop: str) -> float:
        return (self.before_ns[loop] + self.after_ns[loop]) / 2

    def ratio(self) -> float:
        return self.ours_ns / min(self.bare_ns(loop) for loop in LOOPS)


def print_transports(runs: int) -> list[Goal]:
    """What each transport inside a node takes, in turns."""
    transports = ("shm", "unix", "tcp")
    found: dict[str, list[dict[int, float]]] = {name: [] for name in transports}
    for _ in range(runs):
        for name in transports:
            found[name].append(half_round_trips_us(name, SIZES))
    print(f"\nhalf round trips, us, medians of {runs} runs, both ends spinning")
    print("  size, B   " + "".join(f"{name:>12s}" for name in transports))
    for size in SIZES:
        medians = [statistics.median(one[size] for one in found[name]) for name in transports]
        print(f"  {size:8d}  " + "".join(f"{value:12.3f}" for value in medians))
    smallest = {name: statistics.median(one[1] for one in found[name]) for name in transports}
    return [Goal(f"half round trip of 1 B, {name}", us, "us") for name, us in smallest.items()]


def spin_ns(program: Path, loop: str) -> float:
    command = [str(program), *map(str, CPUS), str(ROUND_TRIPS), str(BATCHES), loop]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return float(done.stdout)


def half_round_trips_us(transport: str, sizes: tuple[int, ...]) -> dict[int, float]:
    """weft's median of one launch, by size."""
    overrides = [
        ("steps.*.transport", transport),
        ("steps.pingpong.sizes", str([f"{size} B" for size in sizes])),
        ("steps.pingpong.stop.trial", "50 ms"),
        ("launches", "1"),
    ]
    with tempfile.TemporaryDirectory() as folder:
        request = RunRequest(
            "latency",
            "local:",
            RunOptions(out=f"{folder}/run", settings=dict(overrides), cpus=CPUS),
        )
        run = start_run(request)
        assert run.meta.status == "complete", run.meta.warnings
        latencies = {point.size_bytes: point.latency_us for point in points(run)}
        return {size: one.median for size, one in latencies.items() if one}


if __name__ == "__main__":
    main()
