"""Does a short signature say the same as five whole launches?

usage: bench/run.py signature [--runs 3]

On four labs and over MPI on this machine, in turns. Times are of whole commands (start and end of the lab or of
mpirun included) and from the first batch to the last. Two runs are equal at a size where their intervals of the
throughput meet. The bias of the short run is the median, over sizes below 1 KiB, of its latency divided by that of the
five launches in the same turn: batches of few messages would make it faster. Beside them stands how often a
median is inside of the interval of five launches, for the short run and for another five: of values alike in all, one
in six is outside by chance.

Takes about 12 minutes.
"""

from __future__ import annotations

import argparse
import itertools
import math
import statistics
import tempfile
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from common.machine import machine
from common.results import Goal, save
from weft.base.errors import RequestError
from weft.measure.execute.mpi.toolchain import find_toolchain
from weft.measure.execute.options.run_options import RunOptions
from weft.measure.execute.options.until import until_overrides
from weft.measure.execute.request import RunRequest, start_run
from weft.runs.folder import RunFolder
from weft.understand.curve.points import CurvePoint, points

LABS = ("lab:pair", "lab:fast-ethernet-pair", "lab:gigabit-pair", "lab:two-nics")
MOST_SHARE, MOST_BIAS_PCT, LEAST_EQUAL_PCT = 0.1, 3, 95
SMALL_BYTES = 1024


@dataclass(frozen=True)
class Measured:
    """One run: the whole command's time, that of its batches, and its points."""

    command_s: float
    batches_s: float
    points: list[CurvePoint]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=3, help="of each kind, in turns")
    runs = parser.parse_args().runs
    print(machine(), flush=True)
    goals: list[Goal] = []
    for name, request in requests():
        pairs = [(measure(request, "decided"), measure(request, "launches=5")) for _ in range(runs)]
        goals += compare(name, pairs)
    save("signature", goals)


def requests() -> Iterator[tuple[str, tuple[str, list[tuple[str, str]]]]]:
    for lab in LABS:
        yield lab, (lab, [])
    try:
        find_toolchain("openmpi")
    except RequestError as error:
        print(f"MPI left out: {error.message}")
    else:
        yield "MPI on local:", ("local:", [("steps.*.transport", "mpi")])


def measure(request: tuple[str, list[tuple[str, str]]], until: str) -> Measured:
    testbed, overrides = request
    with tempfile.TemporaryDirectory() as folder:
        began_s = time.perf_counter()
        changes = overrides + until_overrides(until)
        run = start_run(
            RunRequest(
                "signature", testbed, RunOptions(out=f"{folder}/run", settings=dict(changes))
            )
        )
        command_s = time.perf_counter() - began_s
        return Measured(command_s, span_s(run), points(RunFolder.open(Path(folder, "run"))))


def span_s(run: RunFolder) -> float:
    """From the first batch to the end of the last."""
    start, elapsed = (run.samples[name].to_numpy() for name in ("start_ns", "elapsed_ns"))
    return float((start + elapsed).max() - start.min()) / 1e9


def compare(name: str, pairs: list[tuple[Measured, Measured]]) -> Iterator[Goal]:
    """Ratios of the medians, and how many medians of the short runs are inside."""

    def ratio(part: str) -> float:
        short, whole = ([getattr(one, part) for one in side] for side in zip(*pairs, strict=True))
        print(f"  {part:12}{statistics.median(short):8.2f}{statistics.median(whole):8.2f}")
        return statistics.median(short) / statistics.median(whole)

    print(f"\n{name}: s, by itself and with five launches", flush=True)
    commands, batches = ratio("command_s"), ratio("batches_s")
    both = [sizes for one in pairs for sizes in common_sizes(*one)]
    other_pairs = itertools.permutations([whole for _, whole in pairs], 2)
    others = [sizes for one in other_pairs for sizes in common_sizes(*one)]
    bias_pct = 100 * (slower(both) - 1)
    equal_pct = share_pct(meet(one, other) for one, other in both)
    print(f"  bias {bias_pct:+.1f} %; {equal_pct:.1f} % of the sizes equal")
    yield Goal(f"{name}: time of the batches / of five launches", batches, at_most=MOST_SHARE)
    yield Goal(f"{name}: time of the command / of five launches", commands)
    yield Goal(f"{name}: bias of latency, either way", abs(bias_pct), "%", at_most=MOST_BIAS_PCT)
    yield Goal(f"{name}: sizes equal", equal_pct, "%", at_least=LEAST_EQUAL_PCT)
    yield Goal(f"{name}: medians inside", share_pct(is_inside(*one) for one in both), "%")
    if others:
        again_pct = share_pct(is_inside(*one) for one in others)
        yield Goal(f"{name}: medians of another five launches inside", again_pct, "%")


def common_sizes(one: Measured, other: Measured) -> list[tuple[CurvePoint, CurvePoint]]:
    """The points of both runs at each size that both have."""
    known = {point.size_bytes: point for point in other.points}
    return [(point, known[point.size_bytes]) for point in one.points if point.size_bytes in known]


def slower(pairs: list[tuple[CurvePoint, CurvePoint]]) -> float:
    """The median ratio of the latencies below 1 KiB; nan where there are none."""
    small = [pair for pair in pairs if pair[0].size_bytes < SMALL_BYTES]
    ratios = [one.latency_us.median / other.latency_us.median for one, other in small]
    return statistics.median(ratios) if ratios else math.nan


def meet(one: CurvePoint, other: CurvePoint) -> bool:
    """Whether the intervals of two throughputs have a value in common."""
    mine, theirs = one.throughput_mbps, other.throughput_mbps
    return mine.low <= theirs.high and theirs.low <= mine.high


def is_inside(one: CurvePoint, other: CurvePoint) -> bool:
    """Whether the median of one is in the interval of the other."""
    interval = other.throughput_mbps
    return interval.low <= one.throughput_mbps.median <= interval.high


def share_pct(yes: Iterable[bool]) -> float:
    """Of how many in a hundred it is true; nan of none."""
    found = list(yes)
    return 100 * sum(found) / len(found) if found else math.nan


if __name__ == "__main__":
    main()
