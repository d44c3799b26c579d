"""Planted failures of an element in labs of 16 to 30 nodes, found by the plan health: loss of 0.2 to 1 %, added delay,
a link at 80 %; and healthy labs, in which nothing may be accused.

An element is named where it is among those accused and nothing outside of it is: a node's link by either direction, a
leaf's links by its nodes. The goals are 95 of 100 within 60 s each, and one of 100 healthy labs accused; a run does as
many as `--labs` says. A lab on a busy machine (warning `lab-late`) takes longer and shows the machine.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from common.machine import machine
from common.results import Goal, save
from weft.diagnosis.limits.diagnosis import diagnose
from weft.execute.request import RunRequest, start_run

FIRST_SEED, LABS = 7001, 12
MOST_S = 60.0
FAULTS = (
    'loss = "0.2 %"',
    'loss = "0.5 %"',
    'loss = "1 %"',
    'delay = "1 ms"',
    'rate = "4 Mb/s"',
    "",
)
"""The last is none. A host's link has 5 Mb/s."""


@dataclass(frozen=True)
class Planted:
    """A fabric, what is wrong in it, and the nodes that are behind it, by name."""

    text: str
    fault: str
    nodes: frozenset[str]


def generate(seed: int) -> Planted:
    """Leaves around a spine that is as wide as they are; a host's link, a leaf's uplink or nothing has a fault."""
    rng = np.random.default_rng(seed)
    leaves, hosts = int(rng.integers(4, 7)), int(rng.integers(4, 6))
    fault = FAULTS[seed % len(FAULTS)]
    text = (
        f'name = "grey-{seed}"\n[[hosts]]\nids = "n[1-{leaves * hosts}]"\nattach = "leaf[1-{leaves}]"\n'
        f'per_switch = {hosts}\nlink = {{ rate = "5 Mb/s", delay = "5 us" }}\n'
    )
    uplink = f'rate = "{5 * hosts} Mb/s"\n'
    bad_leaf = int(rng.integers(1, leaves + 1)) if "loss" in fault and rng.random() < 0.4 else 0
    for leaf in range(1, leaves + 1):
        own = f"{fault}\n" if leaf == bad_leaf else ""
        text += f'[[links]]\nbetween = ["leaf{leaf}", "spine"]\n{uplink}{own}'
    if bad_leaf:
        first = (bad_leaf - 1) * hosts
        return Planted(text, fault, frozenset(f"n{first + n}" for n in range(1, hosts + 1)))
    if not fault:
        return Planted(text, "none", frozenset())
    node = int(rng.integers(1, leaves * hosts + 1))
    return Planted(
        f'{text}[[overrides]]\nids = "n{node}"\nlink = {{ {fault} }}\n',
        fault,
        frozenset({f"n{node}"}),
    )


def main() -> None:
    """Run, print a line for each lab, then the goals."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--labs", type=int, default=LABS, help="how many labs")
    parser.add_argument("--first", type=int, default=FIRST_SEED, help="the first seed")
    options = parser.parse_args()
    print(machine())
    named, accused, times = [], [], []
    for seed in range(options.first, options.first + options.labs):
        planted = generate(seed)
        start = time.monotonic()
        found, warnings = _accused(planted)
        times.append(time.monotonic() - start)
        if planted.nodes:
            named.append(bool(found) and all(one == planted.nodes for one in found))
        else:
            accused.append(bool(found))
        nodes = ", ".join(sorted(planted.nodes)) or "nothing"
        said = "; ".join(", ".join(sorted(one)) for one in found) or "nothing"
        print(
            f"seed {seed}: {planted.fault} at {nodes}, accused {said}; {times[-1]:.0f} s {warnings}",
            flush=True,
        )
    save("grey", _goals(named, accused, times))


def _accused(planted: Planted) -> tuple[list[frozenset[str]], str]:
    """The elements that a health check of a lab accuses, by the nodes behind them."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "fabric.toml"
        path.write_text(planted.text)
        run = start_run(RunRequest("health", f"lab:{path}", str(Path(folder) / "run")))
        report = diagnose(run).grey
        assert report is not None
    found = [frozenset(report.names[node] for node in one.element.nodes) for one in report.accused]
    return found, ", ".join(warning.code for warning in run.meta.warnings)


def _goals(named: list[bool], accused: list[bool], times: list[float]) -> list[Goal]:
    within = sum(took_s <= MOST_S for took_s in times)
    return [
        Goal(
            f"planted failures named, and nothing else, of {len(named)}",
            sum(named),
            at_least=round(0.95 * len(named)),
        ),
        Goal(f"healthy labs accused, of {len(accused)}", sum(accused), at_most=0),
        Goal(f"done within {MOST_S:.0f} s, of {len(times)}", within, at_least=len(times)),
    ]


if __name__ == "__main__":
    sys.exit(main())
