"""Are faults of links found and classified?

A watch of six sites in a lab: faults planted by a seed, quiet time, and a week in ten minutes with kill -9.

usage: bench/run.py watch [events | quiet | week] [--seed N] [--minutes N] [--keep FOLDER] [--again FOLDER]

events: 40 faults in 30 minutes (fewer minutes have fewer faults): dead and rebooting hosts, dead carriers and paths,
one direction, filters, a tunnel, an MTU black hole, stopped agents, loss. Each link is probed every 0.5 s (one pair of
sites: 0.2 s) by all kinds, small and large ones in turn. A delay is the number of probes that the fault hits until
those that were there made an outage of it; an end is late by the probes behind the fault that were needed to see it.
Besides, a loop analyses the folder every 5 s as it grows, and the time until it says so is stated: agents flush every
10 s, and are fetched every 10 s. Congestion and re-routes of two minutes are planted, too, and looked for in parts of
10 s instead of quarters of an hour, of a dozen probes each: what comes of it is stated,
`bench/links/watch_series.py` has their goals.

quiet: nothing is planted for 60 minutes, and each processor has a busy loop. Every incident is an alarm.

week: agents, the process that fetches and those that answer it are killed at random for 10 minutes. Lost is a probe
that was fetched before a kill and is not there at the end; a gap is marked where an event of its site is in it.

Takes 30 minutes for each seed of events, 60 for the quiet time, 12 for the week.

`--keep` keeps the folders; `--again` judges those of an earlier run with the analysis of today.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from common.machine import machine
from common.results import Goal, save
from common.watch.events import CHANGES, OUTAGES, schedule
from common.watch.judge import Verdict, judge
from common.watch.lab import plant, read_truth, watched_lab
from common.watch.week import FLUSH_S, SLACK_S, lost, storm, unflushed_s, unmarked_gaps
from weft.links.analysis.causes import find_incidents
from weft.links.analysis.series import ProbeSeries
from weft.links.watch.store.history import history
from weft.links.watch.store.store import open_watch

MINUTES = {"events": 30.0, "quiet": 60.0, "week": 10.0}


def main() -> None:
    arguments = _arguments()
    print(machine(), flush=True)
    for part in arguments.parts or MINUTES:
        with tempfile.TemporaryDirectory(prefix="bench-watch-") as temporary:
            base = arguments.again or (arguments.keep or Path(temporary)) / part
            minutes = arguments.minutes or MINUTES[part]
            goals = PARTS[part](base, arguments.seed, minutes, bool(arguments.again))
        for goal in goals:
            print(goal.what, goal.measured, goal.unit, goal.text or "", goal.is_met, flush=True)
        save("watch", goals, f"{part}-{arguments.seed}" if part != "quiet" else part)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", choices=[[], *MINUTES])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--minutes", type=float)
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--again", type=Path)
    return parser.parse_args()


def events(base: Path, seed: int, minutes: float, is_again: bool) -> list[Goal]:
    """Plant faults, and compare what was found."""
    if not is_again:
        with watched_lab(base) as lab:
            plant(lab, schedule(seed, minutes / MINUTES["events"]), seed)
    planted, seen = read_truth(base)
    verdicts, stray, rest = judge(planted, _series(base), seen)
    for one in verdicts:
        _print(one)
    for line in stray:
        print(f"not planted: {line}")
    return _event_goals(verdicts, stray, rest, seed)


def _print(one: Verdict) -> None:
    planted = one.planted
    live = "" if one.live_s is None else f", folder after {one.live_s:.0f} s"
    print(
        f"{planted.id:7} {planted.kind:14} {' > '.join(planted.judged[:2])} {planted.judged[2]:3} "
        f"{planted.end_s - planted.begin_s:5.1f} s: {one.found or 'not found'}, delay {one.delay}, "
        f"end {one.late_end}{live}{'' if one.is_right else '  WRONG'}"
    )


def _event_goals(
    verdicts: list[Verdict], stray: list[str], rest: tuple[int, int], seed: int
) -> list[Goal]:
    faults = [one for one in verdicts if one.planted.kind not in CHANGES]
    changes = [one for one in verdicts if one.planted.kind in CHANGES]
    outages = [one for one in faults if one.planted.kind in OUTAGES]
    right = sum(one.is_right for one in faults)
    delays = [99 if one.delay is None else one.delay for one in outages]
    ends = [99 if one.late_end is None else abs(one.late_end) for one in outages]
    live = sorted(one.live_s for one in faults if one.live_s is not None)
    title = f"seed {seed}: {len(outages)} outages"
    return [
        Goal(
            f"seed {seed}: class right, of {len(faults)} faults",
            right,
            at_least=round(0.95 * len(faults)),
        ),
        Goal(f"{title}, longest delay", max(delays), "probes", at_most=3),
        Goal(f"{title}, largest error of an end", max(ends), "probes", at_most=1),
        Goal(f"seed {seed}: finds that nothing explains", len(stray), at_most=0),
        Goal(
            f"{title}, class right on the other links that they hit", 100 * rest[0] / rest[1], "%"
        ),
        Goal(
            f"seed {seed}: until the folder said so, median",
            live[len(live) // 2] if live else None,
            "s",
        ),
        Goal(
            f"seed {seed}: called by their name, of {len(changes)} changes",
            sum(one.is_right for one in changes),
        ),
    ]


def quiet(base: Path, seed: int, minutes: float, is_again: bool) -> list[Goal]:
    """Watch with busy processors, and count incidents."""
    if not is_again:
        with watched_lab(base), _busy():
            time.sleep(60 * minutes)
    watched = _series(base)
    found = find_incidents(watched)
    for one in found:
        print(f"alarm: {one}")
    lost = sum(int(one.lost.sum()) for one in watched)
    return [
        Goal(f"alarms in {_minutes(watched):.0f} quiet minutes", len(found), at_most=0),
        Goal("probes", sum(map(len, watched))),
        Goal("of them lost", lost),
        Goal("gaps", sum(len(one.gaps()) for one in watched)),
    ]


@contextlib.contextmanager
def _busy() -> Iterator[None]:
    """A busy loop on each processor, at the usual priority."""
    command = [sys.executable, "-c", "while True: pass"]
    loops = [subprocess.Popen(command) for _ in os.sched_getaffinity(0)]
    try:
        yield
    finally:
        for one in loops:
            one.kill()
            one.wait()


def _minutes(watched: list[ProbeSeries]) -> float:
    return max(float(one.time_s[-1]) for one in watched) / 60


def week(base: Path, seed: int, minutes: float, is_again: bool) -> list[Goal]:
    """Kill at random, and look for what is missing."""
    if is_again:
        raise SystemExit("--again: a week cannot be judged again")
    with watched_lab(base) as lab:
        found = storm(lab, 60 * minutes, seed)
    left = lab.left_behind()
    watched = open_watch(base / "watch")
    gaps, unmarked = unmarked_gaps(watched)
    for line in unmarked:
        print(f"not marked: {line}")
    for line in watched.damage:
        print(f"damage: {line}")
    return [
        Goal(f"seed {seed}: processes killed", len(found.killed)),
        Goal(
            f"seed {seed}: probes that were fetched and are lost", lost(found, watched), at_most=0
        ),
        Goal(
            f"seed {seed}: longest time lost by the kill of an agent",
            unflushed_s(found, watched),
            "s",
            at_most=FLUSH_S + SLACK_S,
        ),
        Goal(f"seed {seed}: of {gaps} gaps, without a mark", len(unmarked), at_most=0),
        Goal(f"seed {seed}: processes left behind", len(left), at_most=0),
        Goal(f"seed {seed}: parts of the folder that are damaged", len(watched.damage), at_most=0),
    ]


def _series(base: Path) -> list[ProbeSeries]:
    return history(open_watch(base / "watch"))


PARTS = {"events": events, "quiet": quiet, "week": week}

if __name__ == "__main__":
    main()
