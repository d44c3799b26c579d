"""Does the simulator agree with labs?

The simulator beside the lab: the same plans on all of the catalogue's fabrics, route by route.

usage: bench/run.py fidelity [FABRIC ...]     (all when none is named)

All nodes send at once, in a random permutation and a random bisection, for some seconds each, so that TCP
has time to share what it finds, in three launches, of which the median counts: what a route gets in all of them is
lasting, what differs between them is chance. Labs run slowly enough for two processors to carry them. The simulator
says what max-min fairness makes of the same (`sharing=max-min`), and what Reno does, frame by frame (`sharing=reno`).

What waits in front of each limit is 100 frames at most. A fabric's usual 1,000 are 2.5 s of waiting at 5 Mb/s, and TCP
would need many trials to share them.

Connections use Reno. BBR, which some kernels use, keeps no more on its way than twice what the idle way holds, and so
gets little where acknowledgements wait behind data; and what it takes of a shared limit changes over tens of seconds.

Takes about 45 minutes. The rest is mostly chance, so longer trials agree better. Other ways of sharing
were tried against the same labs (proportional, least potential delay, weights by round trip, Reno's fixed
point); their worst routes were off by 18 to 350 %, because they fill each limit that they count as full,
which a lab does not.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
import tomllib
from collections import defaultdict
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from common.ensembles import Override, machine_was_limit, measured
from common.machine import machine
from common.results import Goal, save
from weft.base import catalog
from weft.plan.load import load_plan
from weft.runs.folder import RunFolder
from weft.understand.comparison.routes import RoutePair, compare_routes

SCALES = {
    "two-racks": 0.01,
    "fat-tree-16": 0.1,
    "bad-cable": 0.1,
    "one-way-slow": 0.1,
    "xibalba-dual": 0.05,
    "xibalba-e7-32": 0.05,
    "xibalba-e7-config1": 0.02,
    "xibalba-e7-config2": 0.02,
    "xibalba-e7-config3": 0.02,
    "xibalba-er16": 0.02,
    "xibalba-maintenance": 0.05,
}
PLAN, CONGESTION = "random-permutations", "reno"
SHARINGS = ("max-min", "reno")
TRIAL, PERMUTATIONS, LAUNCHES, QUEUE_FRAMES = "6 s", 1, 3, 100
LONGER_TRIALS = {
    "two-racks": "18 s",
    "bad-cable": "18 s",
    "xibalba-e7-32": "18 s",
    "xibalba-e7-config1": "36 s",
    "xibalba-e7-config2": "36 s",
    "xibalba-e7-config3": "36 s",
    "xibalba-maintenance": "144 s",
}
"""Where several routes share a limit, or what waits in front of it is a second."""
TARGET_MEDIAN_PCT, TARGET_WORST_PCT = 5.0, 12.0


@dataclass(frozen=True)
class Agreement:
    """How far the lab is from the simulator on one fabric, in per cent of the simulator's rates."""

    fabric: str
    sharing: str
    routes_pct: list[float]
    """Of the median over launches."""
    single_pct: list[float]
    """Of the launch that is farthest off."""
    phases_pct: list[float]
    """The same for what all routes of a phase carry together."""
    is_doubtful: bool
    """The lab was late or busy."""

    @classmethod
    def of(cls, fabric: str, sharing: str, lab: RunFolder, simulated: RunFolder) -> Agreement:
        pairs = list(compare_routes(lab, simulated).pairs())
        return cls(
            fabric,
            sharing,
            [100 * (pair.ratio.median - 1) for pair in pairs],
            [
                max(abs(100 * (end / pair.b.median - 1)) for end in (pair.a.low, pair.a.high))
                for pair in pairs
            ],
            phases_pct(pairs),
            machine_was_limit(lab),
        )

    def row(self) -> str:
        routes = [abs(one) for one in self.routes_pct]
        tenth = sorted(routes)[-(-len(routes) * 9 // 10) - 1]
        phases = [abs(one) for one in self.phases_pct]
        return (
            f"{self.fabric:20} {self.sharing:8} {len(routes):5} routes  median {statistics.median(routes):5.1f} %  "
            f"worst tenth from {tenth:5.1f} %  worst {max(routes):6.1f} %  of a launch "
            f"{max(self.single_pct):6.1f} %   phases: worst {max(phases):5.1f} %"
            f"{'   late or busy' if self.is_doubtful else ''}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("fabrics", nargs="*", help=", ".join(SCALES))
    named = parser.parse_args().fabrics
    print(machine(), flush=True)
    found = []
    for fabric in named or SCALES:
        of_fabric = agreements(fabric)
        found += of_fabric
        print("\n".join(one.row() for one in of_fabric), flush=True)
    goals = [goal for sharing in SHARINGS for goal in goals_of(sharing, found)]
    if not named:
        save("fidelity", goals)


def agreements(fabric: str) -> list[Agreement]:
    """Measure the plan on a fabric, and simulate it with each way of sharing."""
    with short_queues(fabric) as path, ran(f"lab:{path}", fabric) as lab:
        found = []
        for sharing in SHARINGS:
            with ran(f"sim:{path}(sharing={sharing})", fabric) as simulated:
                found.append(Agreement.of(fabric, sharing, lab, simulated))
        return found


def ran(on: str, fabric: str) -> AbstractContextManager[RunFolder]:
    """The plan, carried out on a testbed of a fabric."""
    return measured(PLAN, on, SCALES[fabric], overrides(fabric))


@contextmanager
def short_queues(fabric: str) -> Iterator[Path]:
    """The fabric's file with shorter queues: on every link of hosts and of switches, and inside of switches."""
    declared = tomllib.loads(catalog.read(catalog.find("fabric", fabric)))
    links = [one["link"] for key in ("hosts", "attachments") for one in declared.get(key, [])]
    inside = [switch for switch in declared.get("switches", []) if "capacity" in switch]
    for limit in [*links, *declared.get("links", []), *declared.get("paths", []), *inside]:
        limit["queue_frames"] = QUEUE_FRAMES
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, f"{fabric}.toml")
        path.write_text(toml_of(declared))
        yield path


def toml_of(declared: dict[str, Any]) -> str:
    """A fabric's tables as TOML; its values are text, numbers, truths, lists and tables of such."""
    lines = [f"{key} = {value_of(one)}" for key, one in declared.items() if not is_tables(one)]
    for key, tables in declared.items():
        for table in tables if is_tables(tables) else []:
            lines += [
                "",
                f"[[{key}]]",
                *(f"{name} = {value_of(one)}" for name, one in table.items()),
            ]
    return "\n".join(lines) + "\n"


def is_tables(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(one, dict) for one in value)


def value_of(value: Any) -> str:
    """Text, numbers, truths and lists of them are written as in JSON."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{name} = {value_of(one)}" for name, one in value.items()) + " }"
    return json.dumps(value, ensure_ascii=False)


def overrides(fabric: str) -> list[Override]:
    steps = [step.name for step in load_plan(PLAN).steps]
    each = (
        ("permutations", str(PERMUTATIONS)),
        ("stop.trial", LONGER_TRIALS.get(fabric, TRIAL)),
        ("options.congestion", CONGESTION),
    )
    changed = [(f"steps.{step}.{key}", value) for step in steps for key, value in each]
    return [("launches", str(LAUNCHES)), *changed]


def phases_pct(pairs: list[RoutePair]) -> list[float]:
    """How far off the sums of phases are."""
    sums: dict[tuple[int, int], list[float]] = defaultdict(lambda: [0.0, 0.0])
    for pair in pairs:
        of_phase = sums[pair.step, pair.phase]
        of_phase[0] += pair.a.median
        of_phase[1] += pair.b.median
    return [100 * (lab / simulated - 1) for lab, simulated in sums.values()]


def goals_of(sharing: str, found: list[Agreement]) -> list[Goal]:
    """Print and give what all fabrics come to. Only Reno, which is what a lab does, has goals."""
    mine = [one for one in found if one.sharing == sharing]
    every = [abs(pct) for one in mine for pct in one.routes_pct]
    medians = [statistics.median(map(abs, one.routes_pct)) for one in mine]
    median, worst = max(medians), max(every)
    is_met = median <= TARGET_MEDIAN_PCT and worst <= TARGET_WORST_PCT
    print(
        f"{sharing}, all {len(every)} routes: largest median of a fabric {median:.1f} % (target "
        f"{TARGET_MEDIAN_PCT:g}), worst {worst:.1f} % (target {TARGET_WORST_PCT:g}): "
        f"{'met' if is_met else 'MISSED'}"
    )
    bounds = (TARGET_MEDIAN_PCT, TARGET_WORST_PCT) if sharing == "reno" else (None, None)
    name = f"lab / simulator, {sharing}, {len(mine)} fabrics"
    return [
        Goal(f"{name}: largest median of a fabric's routes", median, "%", bounds[0]),
        Goal(f"{name}: worst route", worst, "%", bounds[1]),
    ]


if __name__ == "__main__":
    main()
