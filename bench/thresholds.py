"""Thresholds of curves: which of those that are known are found and where, and which are found where there are none.

Simulated: curves of NetPIPE's sizes with one threshold at a random size, a jump of 10 to 100 %, a kink to a slope of
two to five times, or a dip of 20 to 200 %, in 12 launches with the noise of `bench/stop_rule.py`. It is found when one
of its kind lies within two sizes, and placed right when it is between the two sizes that it was put between; a kink,
which bends nothing at its own size, within a factor of two. Every other threshold of a curve is a false find.

Measured: the plan `signature` between 1 B and 1 KiB on `lab:pair`, where plain TCP has none.

Eager: Open MPI's eager limit between two ranks on this machine, set by chance; needs a machine with nothing else to do.

Takes about 7 minutes. `--part` runs one part.
"""

from __future__ import annotations

import argparse
import os
import random
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from common.machine import machine
from common.results import Goal, save
from stop_rule import BATCHES, SCENARIOS, Draw, in_launches
from weft.diagnose.thresholds import thresholds
from weft.execute.request import RunRequest, start_run
from weft.model.thresholds import Candidate, Kind, candidates
from weft.plan.load import load_plan
from weft.plan.phases import expand
from weft.run.folder import Run

CURVES = 200
WITHOUT = 200
LAUNCHES = 12
REAL_RUNS = 20
EAGER_RUNS = 50
EAGER_LIMITS = (1_000, 30_000)
OB1_HEADER = 56
"""What Open MPI takes of an eager fragment."""
SIZES = np.unique([phase.size_bytes for phase in expand(load_plan("signature").steps[0], 2)])
EDGE = 12
"""So many sizes at either end have no threshold put at them."""
KINDS: tuple[Kind, ...] = ("jump", "kink", "dip")
KINK_NEAR = 2.0


@dataclass(frozen=True)
class Planted:
    """A threshold that a curve has: at the first size behind it, or the size that is a dip."""

    kind: Kind
    at: int

    def is_found(self, one: Candidate) -> bool:
        if one.kind != self.kind:
            return False
        if self.kind == "kink":
            return self.is_placed(one)
        low, high = SIZES[self.at - 3], SIZES[self.at + 2]
        return bool(one.first_after >= low and one.last_before <= high)

    def is_placed(self, one: Candidate) -> bool:
        if self.kind == "kink":
            size = SIZES[self.at - 1]
            return bool(one.last_before / KINK_NEAR <= size <= one.first_after * KINK_NEAR)
        if self.kind == "dip":
            return one.inside == (SIZES[self.at],)
        return (one.last_before, one.first_after) == (SIZES[self.at - 1], SIZES[self.at])


@dataclass
class Tally:
    """Counts over curves."""

    curves: int = 0
    found: int = 0
    placed: int = 0
    false: list[Candidate] = field(default_factory=list)

    def add(self, planted: Planted, said: list[Candidate]) -> None:
        hits = [one for one in said if planted.is_found(one)]
        self.curves += 1
        self.found += bool(hits)
        self.placed += any(planted.is_placed(one) for one in hits)
        self.false += [one for one in said if one not in hits[:1]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--part", choices=PARTS, action="append", help="[default: all]")
    parts = parser.parse_args().part or list(PARTS)
    print(machine(), flush=True)
    for part in parts:
        save("thresholds", PARTS[part](), part)


def simulated() -> list[Goal]:
    """Curves with one threshold each."""
    rng = np.random.default_rng(20)
    by_noise = {name: Tally() for name in SCENARIOS}
    by_kind = {kind: Tally() for kind in KINDS}
    for number in range(CURVES):
        name = list(SCENARIOS)[number % len(SCENARIOS)]
        planted, times_us = planted_curve(rng, KINDS[number % len(KINDS)])
        said = candidates(SIZES, noisy(times_us, SCENARIOS[name], rng))
        by_noise[name].add(planted, said)
        by_kind[planted.kind].add(planted, said)
    print(f"\n{'':24}{'curves':>8}{'found':>9}{'placed right':>14}{'false':>7}")
    tallies = {**by_noise, **by_kind}
    for name, one in tallies.items():
        found, placed = share_pct(one.found, one.curves), share_pct(one.placed, one.found)
        print(f"{name:24}{one.curves:>8}{found:>8.0f}%{placed:>13.0f}%{len(one.false):>7}")
    kinds = list(by_kind.values())
    found, placed = sum(one.found for one in kinds), sum(one.placed for one in kinds)
    return [
        *(
            Goal(f"{name}: found", share_pct(one.found, one.curves), "%")
            for name, one in tallies.items()
        ),
        Goal("found, of all", share_pct(found, CURVES), "%"),
        Goal("placed right, of those found", share_pct(placed, found), "%", at_least=95),
        Goal("false finds", sum(len(one.false) for one in kinds), at_most=2),
    ]


def planted_curve(rng: np.random.Generator, kind: Kind) -> tuple[Planted, np.ndarray]:
    """A curve with a threshold at a random size, without noise."""
    at = int(rng.integers(EDGE, len(SIZES) - EDGE))
    times_us = line_us(rng)
    if kind == "kink":
        rate = times_us[-1] / SIZES[-1]
        # Where the start-up time is all, a slope that changes is not seen.
        at = int(rng.integers(np.argmax(times_us[0] / rate < SIZES), len(SIZES) - EDGE))
        bend = rng.uniform(1, 4) * rate * np.maximum(SIZES - SIZES[at - 1], 0)
        return Planted(kind, at), times_us + bend
    if kind == "dip":
        times_us[at] *= rng.uniform(1.2, 3)
        return Planted(kind, at), times_us
    times_us[at:] *= rng.uniform(1.1, 2)
    return Planted(kind, at), times_us


def line_us(rng: np.random.Generator) -> np.ndarray:
    """A network of 1 to 100 us and 0.1 to 100 Gb/s."""
    start_up_us, mbps = 10 ** rng.uniform(0, 2), 10 ** rng.uniform(2, 5)
    return np.asarray(start_up_us + SIZES * 8 / mbps)


def noisy(times_us: np.ndarray, draw: Draw, rng: np.random.Generator) -> np.ndarray:
    """Launches of a curve: each time is drawn around its own."""
    batches = draw(rng, (len(times_us), LAUNCHES, BATCHES)) / 20
    return np.asarray(times_us[:, np.newaxis] * in_launches(batches))


def without() -> list[Goal]:
    """Simulated curves that have no threshold."""
    rng = np.random.default_rng(21)
    said = {
        name: sum(
            bool(candidates(SIZES, noisy(line_us(rng), draw, rng)))
            for _ in range(WITHOUT // len(SCENARIOS))
        )
        for name, draw in SCENARIOS.items()
    }
    print(f"\ncurves without a threshold that have one, of {WITHOUT // len(SCENARIOS)}: {said}")
    return [Goal(f"simulated curves of {WITHOUT} with a false find", sum(said.values()), at_most=1)]


def measured() -> list[Goal]:
    """Plain TCP between 1 B and 1 KiB."""
    found = 0
    for _ in range(REAL_RUNS):
        with tempfile.TemporaryDirectory() as folder:
            changes = [("steps.pingpong.sizes.max", "'1 KiB'")]
            start_run(RunRequest("signature", "lab:pair", f"{folder}/run", overrides=changes))
            said = [one.text for one in thresholds(Run.open(Path(folder, "run")))]
            found += bool(said)
            print(said or "none", flush=True)
    return [Goal(f"runs of {REAL_RUNS} on lab:pair with a false find", found, at_most=0)]


def eager() -> list[Goal]:
    """Open MPI's eager limit, drawn by chance, and what the plan `thresholds` confirms."""
    draw = random.Random(5)
    # Waiting ranks that yield have nothing to compare when anything else runs on the machine.
    set_parameter("mpi_yield_when_idle", 0)
    exact, slowest_s = 0, 0.0
    for _ in range(EAGER_RUNS):
        limit = draw.randrange(*EAGER_LIMITS)
        set_parameter("btl_vader_eager_limit", limit)
        with tempfile.TemporaryDirectory() as folder:
            changes = [("steps.*.transport", "mpi"), ("steps.*.options.mpi", "openmpi")]
            began_s = time.monotonic()
            run = start_run(RunRequest("thresholds", "local:2", f"{folder}/run", overrides=changes))
            slowest_s = max(slowest_s, time.monotonic() - began_s)
            pinned = [one.pin for one in thresholds(run) if one.pin]
            sure = [pin.before for pin in pinned if pin.state == "confirmed"]
            exact += limit - OB1_HEADER in sure
            print(limit, sure, f"{time.monotonic() - began_s:.1f} s", flush=True)
    return [
        Goal(
            f"eager limits of {EAGER_RUNS} found to the byte", exact, at_least=EAGER_RUNS * 48 / 50
        ),
        Goal("the slowest of these runs, s", slowest_s, at_most=5),
    ]


def set_parameter(name: str, value: int) -> None:
    """A parameter of Open MPI, for all jobs from now on."""
    os.environ[f"OMPI_MCA_{name}"] = str(value)


def share_pct(part: int, of: int) -> float:
    return 100 * part / of if of else float("nan")


PARTS: dict[str, Callable[[], list[Goal]]] = {
    "simulated": simulated,
    "without": without,
    "measured": measured,
    "eager": eager,
}
"""Each is saved by itself."""


if __name__ == "__main__":
    main()
