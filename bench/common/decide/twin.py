"""Twins of labs that nothing was tuned to, from at most three minutes of measuring each: errors and coverage of what
they predict of thirty patterns that they never saw.

A lab is measured once and kept with --keep; its twin is made again each time. The seeds of the score are 1 to 12; those
that the twin was developed with are 901 and 902. Takes half an hour of measuring on a machine of its own.

A rate is what all routes of a pattern carried together. The time of the slowest flow misses its goal: TCP Reno decides
by chance which of many flows gets how much of a limit, and a lab's own fabric file, simulated, misses it by more.
"""

from __future__ import annotations

import argparse
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from common.decide.labs import MOST_S, SCALE, MeasuredLab, measured_lab
from common.results import Goal, KnownMiss, save
from weft.base.interval import Interval
from weft.decisions.twin.build import make_twin
from weft.decisions.twin.open import open_draws
from weft.decisions.twin.twin import TwinDocument
from weft.network.fabrics.document import FabricDocument
from weft.simulation.prediction.intervals import intervals
from weft.simulation.prediction.predict import NetworkDraw, PlannedWorkload, predict
from weft.understand.summary.measures import measures

FIRST_SEED, LABS = 1, 12
EXPECTED = {
    "times of their slowest flows, median error": KnownMiss(
        "TCP Reno decides by chance which flow gets how much"
    )
}


@dataclass(frozen=True)
class Beside:
    """One measure of a step: predicted with its interval, and measured."""

    lab: int
    step: str
    predicted: Interval
    measured: float

    @property
    def error(self) -> float:
        """Measured over predicted, as a logarithm."""
        return float(np.log(self.measured / self.predicted.median))

    @property
    def held(self) -> bool:
        return self.predicted.low <= self.measured <= self.predicted.high

    @property
    def width(self) -> float:
        """The ends of the interval, one over the other."""
        return self.predicted.high / self.predicted.low


@dataclass(frozen=True)
class Outcome:
    """A lab: its twin, and rates and times of what it had not seen."""

    lab: MeasuredLab
    twin: TwinDocument
    rates: list[Beside]
    times: list[Beside]
    true_rates: list[float]
    true_times: list[float]
    """Errors, as logarithms, of the lab's own fabric file: what the simulator gets wrong whatever the twin."""


def main(arguments: Sequence[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--keep", type=Path, help="where measured labs are, and stay")
    parser.add_argument("--first", type=int, default=FIRST_SEED)
    parser.add_argument("--labs", type=int, default=LABS)
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        keep = options.keep or Path(folder)
        outcomes = []
        for seed in range(options.first, options.first + options.labs):
            outcomes.append(outcome_of(measured_lab(seed, keep), Path(folder) / str(seed)))
            print(row(outcomes[-1]), flush=True)
    print_by_pattern("rate", [one for each in outcomes for one in each.rates])
    print_by_pattern("time of the slowest flow", [one for each in outcomes for one in each.times])
    goals = goals_of(outcomes)
    print()
    for goal in goals:
        print(f"{goal.what}: {goal.measured:.1f} {goal.unit} {goal.text or ''}")
    save("decide", goals, "twin", expected=EXPECTED)


def outcome_of(lab: MeasuredLab, folder: Path) -> Outcome:
    twin = make_twin(list(map(str, lab.seen)), folder)
    workload = PlannedWorkload(lab.unseen_plan)
    predicted = {one.step: one for one in intervals(open_draws(str(folder)), workload)}
    own = NetworkDraw(FabricDocument.read(lab.path)).open(SCALE)
    true = {one.step: one for one in predict(own, workload)}
    outcome = Outcome(lab, twin, [], [], [], [])
    for one in measures(lab.unseen):
        said = predicted[one.step]
        outcome.rates.append(Beside(lab.seed, one.step, said.rate_mbps, one.rate_mbps))
        outcome.times.append(Beside(lab.seed, one.step, said.time_s, one.time_s))
        outcome.true_rates.append(float(np.log(one.rate_mbps / true[one.step].rate_mbps)))
        outcome.true_times.append(float(np.log(one.time_s / true[one.step].time_s)))
    return outcome


def row(one: Outcome) -> str:
    warnings = sorted({text.split(":")[1].strip() for text in one.twin.warnings})
    return (
        f"lab {one.lab.seed:3} {len(one.twin.nodes):2} hosts {one.lab.took_s:4.0f} s  "
        f"left out {100 * one.twin.rate_error:4.1f} %  unseen: rate {_text(one.rates)}  "
        f"time {_text(one.times)}  {', '.join(warnings)}"
    )


def print_by_pattern(what: str, found: Sequence[Beside]) -> None:
    """Where the errors are."""
    by_pattern: dict[str, list[Beside]] = defaultdict(list)
    for one in found:
        by_pattern[one.step.partition("-")[2]].append(one)
    print(f"\n{what}: {_text(found)}")
    for name, those in sorted(by_pattern.items()):
        bias = np.median([one.error for one in those])
        print(f"  {name:22} {_text(those)}  bias {100 * np.expm1(bias):+5.1f} %  ({len(those)})")


def goals_of(outcomes: Sequence[Outcome]) -> list[Goal]:
    rates = [one for each in outcomes for one in each.rates]
    times = [one for each in outcomes for one in each.times]
    count = f"{len(rates)} patterns in {len(outcomes)} labs"
    true_rates = [one for each in outcomes for one in each.true_rates]
    true_times = [one for each in outcomes for one in each.true_times]
    longest = max(one.lab.took_s for one in outcomes)
    return [
        Goal("longest measuring for a twin", longest, "s", at_most=MOST_S),
        Goal(f"rates of {count} never seen, median error", error_pct(rates), "%", at_most=5),
        Goal("of these in 90 % intervals", held_pct(rates), "%", at_most=95, at_least=85),
        Goal("times of their slowest flows, median error", error_pct(times), "%", at_most=5),
        Goal("of these in 90 % intervals ", held_pct(times), "%", at_most=95, at_least=85),
        Goal("rates that the labs' own fabric files predict, median error", pct(true_rates), "%"),
        Goal("times that they predict, median error", pct(true_times), "%"),
    ]


def error_pct(found: Iterable[Beside]) -> float:
    return pct([one.error for one in found])


def pct(logs: Sequence[float]) -> float:
    """The median of how far off, either way."""
    return float(100 * np.median(np.expm1(np.abs(logs))))


def held_pct(found: Sequence[Beside]) -> float:
    return 100 * sum(one.held for one in found) / len(found)


def _text(found: Sequence[Beside]) -> str:
    width = np.median([one.width for one in found])
    return f"{error_pct(found):5.1f} %, {held_pct(found):3.0f} % held, width {width:.2f}"
