"""Do the probabilities that weft states hold?

Whether each probability that weft states holds: simulated worlds of which the truth is known, with nuisances.

Takes about five minutes on two processors, arithmetic only. A claim that weft errs in a share of all cases at most is
held against the share in which it does, and the rate of finding what was planted against what it was before the claim
held. The nuisances are those that networks have: runs that differ, rounds that follow each other, bursts, daily
courses, clocks that are set, heavy tails, uneven nodes. `--only probes` runs the cases of one file of
bench/common/calibrated, `--worlds N` at most N worlds of each case.

Three goals are missed, each for what its case says of it: short faults of a part of a link's probes take a probe more
to be found, and small losses in long bursts are told from none less often.
"""

from __future__ import annotations

import argparse
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from time import monotonic

from common.calibrated import cases
from common.case import Case
from common.machine import machine
from common.results import Goal, save


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", choices=sorted(cases()), help="the cases of this file")
    parser.add_argument("--worlds", type=int, help="of each case at most (default: its own)")
    asked = parser.parse_args()
    print(machine(), end="\n\n")
    chosen = [(n, at) for n, mine in cases().items() for at in range(len(mine))]
    chosen = [one for one in chosen if asked.only in (None, one[0])]
    with ProcessPoolExecutor() as pool:
        goals = [*pool.map(_judged, chosen, [asked.worlds] * len(chosen))]
    missed = sum(goal.is_met is False for goal in goals)
    known = sum(bool(goal.expected) for goal in goals)
    print(f"\n{missed} of {len(goals)} goals are missed; {known} are known to be")
    if asked.only is None and asked.worlds is None:
        save("calibration", goals)


def _case(file: str, position: int) -> Case:
    return cases()[file][position]


def _judged(name: tuple[str, int], worlds: int | None) -> Goal:
    """Of a case by its file and position: what it draws with cannot be sent to another process."""
    case = _case(*name)
    case = replace(case, worlds=min(case.worlds, worlds or case.worlds))
    begin = monotonic()
    goal = case.goal(case.share())
    result = {True: "met", False: "MISSED", None: ""}[goal.is_met]
    print(
        f"{goal.what}: {goal.measured:.2f} % ({goal.text}) {result} [{monotonic() - begin:.0f} s]",
        flush=True,
    )
    return goal


if __name__ == "__main__":
    main()
