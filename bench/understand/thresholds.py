"""Are thresholds of curves found, and none invented?

Thresholds of curves: which of those that are known are found and where, and which are found where there are none.

Simulated: curves of NetPIPE's sizes with one threshold at a random size, a jump of 10 to 100 %, a kink to a slope of
two to five times, or a dip of 20 to 200 %, in 12 launches with the noise of `stop_rule.py`. It is found when one
of its kind lies within two sizes, and placed right when it is between the two sizes that it was put between; a kink,
which bends nothing at its own size, within a factor of two. Every other threshold of a curve is a false find.

Measured: the plans `signature` and `thresholds` between 1 B and 1 KiB on `lab:pair`, where plain TCP has none.

Eager: a limit of an MPI between two ranks on this machine, set by chance, and `weft run thresholds` as a command, with
the start of Python; needs a machine with nothing else to do.

Takes about 15 minutes. `--part` runs one part.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import numpy as np

from common.machine import machine
from common.results import Goal, save
from understand.stop_rule import BATCHES, SCENARIOS, Draw, in_launches
from weft.measure.execute.options.run_options import RunOptions
from weft.measure.execute.request import RunRequest, start_run
from weft.network.model.thresholds import Kind, ThresholdCandidate, candidates
from weft.plan.load import load_plan
from weft.plan.phases import expand
from weft.runs.folder import RunFolder
from weft.understand.curve.thresholds import Threshold, thresholds

CURVES = 200
WITHOUT = 200
LAUNCHES = 12
REAL_RUNS = 20
EAGER_RUNS = 50
EAGER_LIMITS = (1_000, 30_000)
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

    def is_found(self, one: ThresholdCandidate) -> bool:
        if one.kind != self.kind:
            return False
        if self.kind == "kink":
            return self.is_placed(one)
        low, high = SIZES[self.at - 3], SIZES[self.at + 2]
        return bool(one.first_after >= low and one.last_before <= high)

    def is_placed(self, one: ThresholdCandidate) -> bool:
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
    false: list[ThresholdCandidate] = field(default_factory=list)

    def add(self, planted: Planted, said: list[ThresholdCandidate]) -> None:
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


def measured(plan: str) -> list[Goal]:
    """Plain TCP between 1 B and 1 KiB."""
    found = 0
    for _ in range(REAL_RUNS):
        with tempfile.TemporaryDirectory() as folder:
            changes = [("steps.pingpong.sizes.max", "'1 KiB'")]
            start_run(
                RunRequest(
                    plan, "lab:pair", RunOptions(out=f"{folder}/run", settings=dict(changes))
                )
            )
            said = [one.text for one in thresholds(RunFolder.open(Path(folder, "run")))]
            found += bool(said)
            print(said or "none", flush=True)
    return [Goal(f"runs of {plan}, of {REAL_RUNS}, with a false find", found, at_most=0)]


@dataclass(frozen=True)
class Limit:
    """A size behind which an MPI's messages wait for their receiver, as a variable of the environment sets it."""

    mpi: str
    name: str
    less: int
    """The last message that does not wait is smaller by so much."""
    settings: tuple[tuple[str, str], ...] = ()
    """What else a run needs: that messages go the way that has the limit."""

    @property
    def variable(self) -> str:
        return f"OMPI_MCA_{self.name}" if self.mpi == "openmpi" else self.name

    def environment(self, size: int) -> dict[str, str]:
        others = {f"OMPI_MCA_{key}": value for key, value in self.settings}
        return os.environ | others | {self.variable: str(size)}


# Waiting ranks that yield have nothing to compare when anything else runs on the machine.
OB1 = (("pml", "ob1"), ("mpi_yield_when_idle", "0"))
OB1_HEADER = 56
"""What Open MPI takes of an eager fragment."""
EAGER = {
    "eager-vader": Limit(
        "openmpi", "btl_vader_eager_limit", OB1_HEADER, (*OB1, ("btl", "vader,self"))
    ),
    "eager-tcp": Limit("openmpi", "btl_tcp_eager_limit", OB1_HEADER, (*OB1, ("btl", "tcp,self"))),
    "eager-mpich": Limit("mpich", "UCX_RNDV_THRESH", 1),
}


def eager(limit: Limit) -> list[Goal]:
    """A limit drawn by chance, and what `weft run thresholds` confirms: its size, and its name."""
    draw = random.Random(5)
    exact, seconds = 0, []
    for _ in range(EAGER_RUNS):
        size = draw.randrange(*EAGER_LIMITS)
        with tempfile.TemporaryDirectory() as folder:
            began_s = time.monotonic()
            run = run_thresholds(f"{folder}/run", limit, size)
            seconds.append(time.monotonic() - began_s)
            sure = {one.pin.before: one.name for one in thresholds(run) if is_confirmed(one)}
        name = f"eager to rendezvous, {limit.name} = {size:,} B"
        exact += sure.get(size - limit.less) == name
        print(size, sure, f"{seconds[-1]:.1f} s", flush=True)
    return [
        Goal(
            f"{limit.name} at random, of {EAGER_RUNS} found to the byte and named",
            exact,
            at_least=EAGER_RUNS * 48 / 50,
        ),
        Goal("runs of more than 5 s", sum(one > 5 for one in seconds), at_most=0),
        Goal("a run, median", float(np.median(seconds)), "s"),
        Goal("the slowest run", max(seconds), "s", at_most=5),
    ]


def run_thresholds(out: str, limit: Limit, size: int) -> RunFolder:
    """The command as a user types it."""
    mpi = ("--transport", "mpi", "--mpi", limit.mpi)
    command = [sys.executable, "-m", "weft", "run", "thresholds", "--on", "local:2", *mpi]
    subprocess.run(
        [*command, "--out", out, "--json"],
        env=limit.environment(size),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=True,
    )
    return RunFolder.open(Path(out))


def is_confirmed(one: Threshold) -> bool:
    return one.pin is not None and one.pin.state == "confirmed"


def share_pct(part: int, of: int) -> float:
    return 100 * part / of if of else float("nan")


PARTS: dict[str, Callable[[], list[Goal]]] = {
    "simulated": simulated,
    "without": without,
    "measured": partial(measured, "signature"),
    "pinned": partial(measured, "thresholds"),
    **{name: partial(eager, limit) for name, limit in EAGER.items()},
}
"""Each is saved by itself."""


if __name__ == "__main__":
    main()
