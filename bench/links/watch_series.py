"""Are changes and congestion in months found?

Changes and congestion in 200 simulated months of probes every 10 s, of which half have nothing planted, and in 200
quarters of a year with weeks.

usage: bench/run.py watch_series [--months N] [--quarters N] [--otava PYTHON]

Daily and weekly cycles, spikes, losses, gaps, and noise with a correlation of 0.8 from one quarter of an hour to the
next, which taking minima does not average out. Congestion of 2 to 12 hours raises the minimum by three times its noise
(0.4 ms on 1.3 ms, 3 ms on 50 ms in turn) and the logarithm of the jitter by three times its own; a re-route shifts the
minimum by as much and stays. Congestion is found where the found and the planted time have half of their union in
common; a re-route within an hour. Every other find is false, congestion that is found in two parts as well.
Then as many months again whose jitter quadruples at nine on working days, and goes back at one.
Beside it, where they are installed, ruptures (PELT on the same minima, cost l2, penalty 2 variance log n) and Otava
(its defaults; PYTHON is that of an environment with apache-otava), and their false changes in the months without any.

The quarters (a probe every 30 s) have working hours of 5 to 12 hours with queues of 2 to 8 times, with a minimum that
is up to three rises higher, or with both; four holidays; a load that grows up to twofold and differs by a tenth from
day to day; a nightly backup in half of them; three congestions, and a re-route after which the working hours' load is
half to twice as much. What recurs is no change; that the higher minimum is reported with its hours is counted as well.

Takes about 20 minutes. `--months` and `--quarters` run fewer; with 0 of one the other is saved as a part.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from common.peers import changes as peers
from common.results import Goal, save
from common.watch.months import Planted, Week, month, quarter_year
from weft.base.statistics import Floats
from weft.links.analysis.levels.changes import LevelShift, find_changes, find_course
from weft.links.analysis.levels.recurrence import Recurrence
from weft.links.analysis.quarters import quarters
from weft.links.analysis.series import ProbeSeries

LINKS = {"1.3 + 0.4 ms": (1.3e-3, 0.4e-3), "50 + 3 ms": (50e-3, 3e-3)}
OFFICES = {"": 1.0, ", working hours": 4.0}
"""By what factor the jitter is larger in them."""
HALF = 0.5
NEAR_S = 3600.0


@dataclass
class Tally:
    """Counts over months."""

    planted: int = 0
    found: int = 0
    claimed: int = 0
    rerouted: int = 0
    reroutes_found: int = 0
    reroutes_called_congestion: int = 0
    false: int = 0
    most_false: int = 0
    months: int = 0
    months_with_false: int = 0
    seconds: float = 0.0
    empty: list[Floats] = field(default_factory=list)
    """The minima of months without any change."""
    shifts: int = 0
    shifts_found: int = 0
    recurring_false: int = 0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])  # type: ignore[union-attr]
    parser.add_argument("--months", type=int, default=200)
    parser.add_argument("--quarters", type=int, default=200)
    parser.add_argument("--otava", type=Path, metavar="PYTHON")
    arguments = parser.parse_args()
    versions = peer_versions(arguments.otava)
    detectors: dict[str, peers.Detector] = (
        {"ruptures": peers.ruptures} if "ruptures" in versions else {}
    )
    if arguments.otava:
        detectors["otava"] = peers.otava(arguments.otava)
    goals = []
    for office in OFFICES if arguments.months else ():
        for name in LINKS:
            tally = measure(name, OFFICES[office], arguments.months // 2)
            found = goals_of(name + office, "month", tally)
            goals += shown(found + peer_goals(name + office, tally, detectors))
    if arguments.quarters:
        goals += shown(quarter_goals(measure_quarters(arguments.quarters)))
    part = "quarters" if not arguments.months else "" if arguments.quarters else "months"
    save("watch_series", goals, part, versions=versions)


def shown(goals: list[Goal]) -> list[Goal]:
    """Print them."""
    for goal in goals:
        print(goal.what, goal.measured, goal.unit, goal.text or "", goal.is_met, flush=True)
    return goals


def measure(name: str, office: float, months: int) -> Tally:
    """Every second month has nothing planted."""
    base_s, rise_s = LINKS[name]
    tally = Tally()
    for seed in range(months):
        is_empty = bool(seed % 2)
        planting = {"congestions": 0, "reroutes": 0} if is_empty else {}
        series, planted = month(seed, base_s, rise_s, office=office, **planting)
        began = time.perf_counter()
        parts = quarters(series)
        changes = find_changes(parts)
        tally.seconds = max(tally.seconds, time.perf_counter() - began)
        count(tally, series, planted, changes)
        if is_empty:
            tally.empty.append(parts.minimum_s)
    return tally


def measure_quarters(amount: int) -> Tally:
    """Both links in turn."""
    links, tally = list(LINKS.values()), Tally()
    for seed in range(amount):
        series, planted, week = quarter_year(seed, *links[seed % 2])
        began = time.perf_counter()
        course = find_course(quarters(series))
        tally.seconds = max(tally.seconds, time.perf_counter() - began)
        count(tally, series, planted, course.changes)
        found = [_is_of(one, week) for one in course.recurrences]
        tally.shifts += week.shift_s > 0
        tally.shifts_found += week.shift_s > 0 and any(found)
        tally.recurring_false += len(found) - sum(found)
    return tally


def _is_of(one: Recurrence, week: Week) -> bool:
    ends_h = abs(one.begin_s / 3600 - week.begin), abs(one.end_s / 3600 - week.end)
    return one.weekdays == [0, 1, 2, 3, 4] and max(ends_h) <= HALF


def count(
    tally: Tally, series: ProbeSeries, planted: list[Planted], changes: list[LevelShift]
) -> None:
    """Compare one month's finds with what was planted."""
    last = float(series.time_s[-1])
    spans = [
        (one, one.begin_s - series.start, (one.end_s or series.start + last) - series.start)
        for one in changes
    ]
    true = 0
    for plant in planted:
        if plant.what == "congestion":
            hits = [s for s in spans if s[0].what == "congestion" and _common(plant, s) >= HALF]
            tally.planted += 1
            tally.found += bool(hits)
        else:
            near = [s for s in spans if abs(s[1] - plant.begin_s) <= NEAR_S]
            hits = [s for s in near if s[0].what == "re-route"]
            tally.rerouted += 1
            tally.reroutes_found += bool(hits)
            congested = [(p.begin_s, p.end_s) for p in planted if p.what == "congestion"]
            tally.reroutes_called_congestion += any(
                s[0].what == "congestion" for s in near
            ) and not any(b - NEAR_S < plant.begin_s < e + NEAR_S for b, e in congested)
        true += bool(hits)
    false = len(changes) - true
    tally.claimed += sum(one.what == "congestion" for one in changes)
    tally.false += false
    tally.most_false = max(tally.most_false, false)
    tally.months += 1
    tally.months_with_false += false > 0


def _common(plant: Planted, span: tuple[LevelShift, float, float]) -> float:
    both = min(plant.end_s, span[2]) - max(plant.begin_s, span[1])
    either = max(plant.end_s, span[2]) - min(plant.begin_s, span[1])
    return both / either


def goals_of(name: str, span: str, tally: Tally) -> list[Goal]:
    return [
        Goal(f"{name}: false changes a {span}, mean", tally.false / tally.months, at_most=1),
        Goal(f"{name}: false changes in the worst {span}", tally.most_false, at_most=1),
        Goal(f"{name}: congestion, recall", tally.found / tally.planted, at_least=0.95),
        Goal(
            f"{name}: congestion, precision",
            tally.found / max(tally.claimed, 1),
            at_least=0.95,
        ),
        Goal(f"{name}: re-routes found", tally.reroutes_found / tally.rerouted),
        Goal(f"{name}: re-routes called congestion", tally.reroutes_called_congestion, at_most=0),
        Goal(f"{name}: analysis of a {span}, longest", tally.seconds, "s", at_most=5),
    ]


def quarter_goals(tally: Tally) -> list[Goal]:
    name = "weeks"
    share = tally.shifts_found / max(tally.shifts, 1)
    return [
        *goals_of(name, "quarter year", tally),
        Goal(f"{name}: quarter years with a false change", tally.months_with_false),
        Goal(f"{name}: recurring shifts reported with their hours", share, at_least=0.95),
        Goal(f"{name}: recurrences that were not planted", tally.recurring_false, at_most=0),
    ]


def peer_goals(name: str, tally: Tally, detectors: Mapping[str, peers.Detector]) -> list[Goal]:
    """What others find where there is nothing."""
    return [
        goal
        for peer, detector in detectors.items()
        for goal in _peer_goals(f"{name}: {peer}", detector(tally.empty))
    ]


def _peer_goals(title: str, counts: list[int]) -> list[Goal]:
    share = 100 * sum(one > 0 for one in counts) / len(counts)
    return [
        Goal(f"{title}, false changes a month, mean", sum(counts) / len(counts)),
        Goal(f"{title}, months without changes in which it finds some", share, "%"),
    ]


def peer_versions(otava: Path | None) -> dict[str, str]:
    found = {"otava": peers.otava_version(otava)} if otava else {}
    try:
        return found | {"ruptures": version("ruptures")}
    except PackageNotFoundError:
        return found


if __name__ == "__main__":
    main()
