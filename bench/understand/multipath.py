"""Are parallel paths and slow links found?

How well the plan paths finds the paths of fabrics that it has no description of: generated leaf-spine fabrics, most
of which have one slow link.

A fabric counts as found where the usual number of paths is exact; capacities are those of all paths that two
connections filled. By default the fabrics are simulated, `--labs` builds them, at 10 Mb/s a host. A lab on a busy
machine (warning `lab-late`) is not to be trusted. Simulated: about 2 minutes, of which most is the search itself.
Labs: about 45 minutes.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from common.machine import machine
from common.results import Goal, save
from weft.measure.execute.options.run_options import RunOptions
from weft.measure.execute.request import RunRequest, start_run
from weft.understand.limits.diagnosis import diagnose
from weft.understand.paths.report import PathReport

FIRST_SEED, SEEDS = 5001, 20
HOST_MBPS = 10.0
SLOW_SHARES = (0.2, 0.4, 0.6)
PAYLOAD = 1448 / 1538
TOLERANCE = 0.10


@dataclass(frozen=True)
class Hidden:
    """A generated fabric: its text and the truth. `bad` is the leaf of the slow uplink, from 1, and its rate."""

    text: str
    paths: int
    bad: tuple[int, float] | None
    hosts_per_leaf: int


@dataclass(frozen=True)
class Score:
    """What one fabric came to."""

    seed: int
    expected: int
    found: int
    is_bad_named: bool | None
    false: int
    worst_error: float
    took_s: float
    warnings: str

    def row(self) -> str:
        named = {None: "nothing slow", True: "slow one named", False: "slow one MISSED"}
        return (
            f"seed {self.seed}: {self.expected} paths, found {self.found}; {named[self.is_bad_named]}, "
            f"{self.false} false, capacities within {100 * self.worst_error:.0f} %; {self.took_s:.0f} s {self.warnings}"
        )


def generate(seed: int) -> Hidden:
    """Three or four leaves with 2 to 6 spines; three in four have a slow link."""
    rng = np.random.default_rng(seed)
    leaves, spines = int(rng.integers(3, 5)), int(rng.integers(2, 7))
    hosts = int(rng.integers(3, 6))
    bad = None
    if rng.random() < 0.75:
        share = float(rng.choice(SLOW_SHARES))
        bad = (int(rng.integers(1, leaves + 1)), share * HOST_MBPS)
    lines = [
        f'name = "hidden-{seed}"\nrouting = "hash"\nrouting_seed = {seed}\n',
        f'[[hosts]]\nids = "n[1-{leaves * hosts}]"\nattach = "leaf[1-{leaves}]"\nper_switch = {hosts}\n'
        f'link = {{ rate = "{HOST_MBPS} Mb/s", delay = "5 us" }}\n',
        f'[[switches]]\nids = "leaf[1-{leaves}],spine[1-{spines}]"\n',
    ]
    slow_spine = int(rng.integers(1, spines + 1))
    for leaf in range(1, leaves + 1):
        for spine in range(1, spines + 1):
            is_slow = bad is not None and (leaf, spine) == (bad[0], slow_spine)
            rate = bad[1] if bad is not None and is_slow else HOST_MBPS
            lines.append(
                f'[[links]]\nbetween = ["leaf{leaf}", "spine{spine}"]\nrate = "{rate} Mb/s"\ndelay = "5 us"\n'
            )
    return Hidden("".join(lines), spines, bad, hosts)


def measure(seed: int, hidden: Hidden, kind: str) -> Score:
    """One search, held against the truth."""
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "fabric.toml"
        path.write_text(hidden.text)
        run = start_run(RunRequest("paths", f"{kind}:{path}", RunOptions(out=Path(folder) / "run")))
        report = diagnose(run).paths
        assert report is not None
    counts = Counter(len(one.paths) for one in report.pairs if one.paths)
    usual = max(counts, key=lambda count: (counts[count], count), default=0)
    named, false = _blamed(report, hidden)
    return Score(
        seed,
        hidden.paths,
        usual,
        named,
        false,
        _worst_error(report, hidden),
        time.monotonic() - start,
        ", ".join(warning.code for warning in run.meta.warnings),
    )


def _blamed(report: PathReport, hidden: Hidden) -> tuple[bool | None, int]:
    """Whether the slow link's leaf was named, and how many others were."""
    bad: tuple[int, ...] = ()
    if hidden.bad is not None:
        first = (hidden.bad[0] - 1) * hidden.hosts_per_leaf
        bad = tuple(range(first, first + hidden.hosts_per_leaf))
    right = [one for one in report.slow if one.leaf == bad and one.side != "between"]
    named = None if hidden.bad is None else bool(right)
    return named, len(report.slow) - len(right)


def _worst_error(report: PathReport, hidden: Hidden) -> float:
    rates = {HOST_MBPS} | ({hidden.bad[1]} if hidden.bad else set())
    filled = [path for one in report.pairs for path in one.paths if path.is_full]
    errors = [
        min(abs(path.capacity_mbps.median / (rate * PAYLOAD) - 1) for rate in rates)
        for path in filled
    ]
    return max(errors, default=0.0)


def main() -> None:
    """Run, print a line for each fabric, then the goals."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=SEEDS, help="how many fabrics")
    parser.add_argument("--first", type=int, default=FIRST_SEED, help="the first seed")
    parser.add_argument("--labs", action="store_true", help="build the fabrics")
    options = parser.parse_args()
    print(machine())
    kind = "lab" if options.labs else "sim"
    scores = []
    for seed in range(options.first, options.first + options.seeds):
        scores.append(measure(seed, generate(seed), kind))
        print(scores[-1].row(), flush=True)
        # What is interrupted after an hour keeps what it has.
        save("multipath", goals_of(kind, scores), kind)


def goals_of(kind: str, scores: list[Score]) -> list[Goal]:
    """Numbers of paths, capacities, slow links."""
    bad = [one for one in scores if one.is_bad_named is not None]
    exact = sum(one.found == one.expected for one in scores)
    near = sum(one.worst_error <= TOLERANCE for one in scores)
    named, false = sum(bool(one.is_bad_named) for one in bad), sum(one.false for one in scores)
    return [
        Goal(
            f"{kind}: number of paths exact, of {len(scores)} fabrics", exact, at_least=len(scores)
        ),
        Goal(f"{kind}: all capacities within 10 %", near, at_least=len(scores)),
        Goal(f"{kind}: slow links named, of {len(bad)}", named, at_least=round(0.95 * len(bad))),
        Goal(f"{kind}: links accused that are not slow", false, at_most=0),
        Goal(
            f"{kind}: time of a search, median",
            float(np.median([one.took_s for one in scores])),
            "s",
        ),
    ]


if __name__ == "__main__":
    main()
