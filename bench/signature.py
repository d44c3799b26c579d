"""A signature that ends by itself beside one of five whole launches: time, and whether it says the same.

usage: bench/signature.py [--runs 3]

On three labs and over MPI on this machine, in turns. Times are of whole commands (start and end of the lab or of
mpirun included) and from the first batch to the last. A median of the short run agrees when it lies inside of the
interval that the five launches give at that size. Beside it stands how often those of another five launches do: of
values alike in all, one in six lies outside of the range of five others, by chance.

Takes about 10 minutes.
"""

from __future__ import annotations

import argparse
import itertools
import math
import statistics
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from common.machine import machine
from common.results import Goal, save
from weft.api.until import until_overrides
from weft.diagnosis.points import Point, points
from weft.errors import RequestError
from weft.execute.mpi.toolchain import find_toolchain
from weft.execute.request import RunRequest, start_run
from weft.runs.folder import Run

LABS = ("lab:pair", "lab:fast-ethernet-pair", "lab:gigabit-pair")
MOST_SHARE, LEAST_INSIDE_PCT = 0.1, 100


@dataclass(frozen=True)
class Measured:
    """One run: the whole command's time, that of its batches, and its points."""

    command_s: float
    batches_s: float
    points: list[Point]


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
        run = start_run(RunRequest("signature", testbed, f"{folder}/run", overrides=changes))
        command_s = time.perf_counter() - began_s
        return Measured(command_s, span_s(run), points(Run.open(Path(folder, "run"))))


def span_s(run: Run) -> float:
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
    share_pct = agreement_pct(pairs)
    wholes = [whole for _, whole in pairs]
    again_pct = agreement_pct(list(itertools.permutations(wholes, 2)))
    print(f"  {share_pct:.1f} % of medians inside, {again_pct:.1f} % of another five launches'")
    yield Goal(f"{name}: time of the batches / of five launches", batches, at_most=MOST_SHARE)
    yield Goal(f"{name}: time of the command / of five launches", commands)
    yield Goal(f"{name}: medians inside", share_pct, "%", at_least=LEAST_INSIDE_PCT)
    if len(wholes) > 1:
        yield Goal(f"{name}: medians of another five launches inside", again_pct, "%")


def agreement_pct(pairs: list[tuple[Measured, Measured]]) -> float:
    """Of all sizes of all pairs of runs; nan where there are none."""
    inside = [is_inside for one, other in pairs for is_inside in agreements(one, other)]
    return 100 * sum(inside) / len(inside) if inside else math.nan


def agreements(one: Measured, whole: Measured) -> Iterator[bool]:
    """Of each size that both have, whether the median of one is inside of the other's interval."""
    known = {point.size_bytes: point.throughput_mbps for point in whole.points}
    for point in one.points:
        if point.size_bytes in known:
            interval = known[point.size_bytes]
            yield interval.low <= point.throughput_mbps.median <= interval.high


if __name__ == "__main__":
    main()
