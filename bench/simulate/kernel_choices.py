"""Is the fastest algorithm of a collective predicted?

Whether `sim:` predicts which algorithm of a collective is the fastest, on three labs.

Each lab is measured with agents, launch by launch as long as there is time, beside a simulation of the same fabric. Its
overhead of a message is what a ping-pong of 8 B takes longer on the lab than simulated without, half at each end. A
choice (operation, nodes, size) is right where the algorithm that the simulation takes for the fastest was measured to
be: its median is within the interval of the measured best, or within 5 % of it.

    bench/run.py kernel_choices [quick]

`quick` only shows that it works: the fewest nodes and one size, one launch.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from common.ensembles import are_of_machine
from common.machine import machine
from common.results import Goal, save
from weft.base.statistics import median_interval
from weft.faces.api.request import run_request
from weft.measure.execute.options.run_options import RunOptions
from weft.measure.execute.request import start_run
from weft.runs.folder import RunFolder
from weft.understand.kinds.collectives.collected import CollectiveTiming
from weft.understand.summary.summary import summarise

LAUNCHES = 5
SECONDS = 540
"""No launch begins that would end later, by what the last one of its lab took."""
NEAR = 1.05
OPERATIONS = ("allreduce", "allgather", "reduce-scatter", "alltoall", "bcast")
SIZES = ("1 KiB", "16 KiB", "256 KiB")
TRIALS = 3
STAR = """
name = "star"
[[switches]]
ids = "switch"
[[hosts]]
ids = "n[1-12]"
attach = "switch"
link = { rate = "100 Mb/s", delay = "5 us" }
"""

Key = tuple[str, int, int]
"""Operation, nodes, size."""


@dataclass
class Lab:
    """A fabric, which of its nodes take part, and what was found: for each choice the times of each algorithm, in us by
    launch, and the algorithm that the simulation takes for the fastest."""

    name: str
    fabric: str
    scale: float
    members: Sequence[str]
    sizes: Sequence[str]
    folder: Path
    took_s: float = 0.0
    launches: int = 0
    was_limit: bool = False
    times_us: dict[Key, dict[str, list[float]]] = field(default_factory=dict)
    predicted: dict[Key, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Choice:
    """What the predicted and the best algorithm took; medians."""

    lab: str
    key: Key
    predicted: str
    predicted_us: float
    best: str
    best_us: float
    best_high_us: float

    @property
    def is_right(self) -> bool:
        """Whether the predicted algorithm was measured to be the best, or as good."""
        return self.predicted_us <= max(NEAR * self.best_us, self.best_high_us)


def main() -> None:
    is_quick = sys.argv[1:] == ["quick"]
    begun = time.perf_counter()
    print(machine(), flush=True)
    with tempfile.TemporaryDirectory() as folder:
        labs = labs_in(Path(folder), is_quick)
        for lab in labs:
            predict(lab)
        for _ in range(1 if is_quick else LAUNCHES):
            for lab in labs:
                if time.perf_counter() - begun + lab.took_s < SECONDS:
                    measure(lab)
    report(labs)


def labs_in(folder: Path, is_quick: bool) -> list[Lab]:
    star = folder / "star.toml"
    star.write_text(STAR)
    fabrics = [
        ("star", str(star), 1.0, ["1-4", "1-7", "1-12"]),
        ("fat-tree-16", "fat-tree-16", 1.0, ["1-4", "1-2,5-6,9-10,13-14", "1-16"]),
        ("two-racks", "two-racks", 0.1, ["1-4", "1-4,17-20", "1-6,17-22"]),
    ]
    few = slice(1 if is_quick else None)
    return [
        Lab(name, fabric, scale, members[few], SIZES[few], folder / name)
        for name, fabric, scale, members in fabrics
    ]


def predict(lab: Lab) -> None:
    """Which algorithm the simulation takes for the fastest."""
    overhead_us = overhead(lab)
    on = f"sim:{lab.fabric}(overhead={overhead_us:.2f} us)"
    for key, ways in grouped(collected(lab, on, "predicted")).items():
        lab.predicted[key] = min(ways, key=lambda one: one.elapsed_us).algorithm
    print(f"{lab.name}: overhead {overhead_us:.1f} us", flush=True)


def overhead(lab: Lab) -> float:
    """What a message takes at each of its ends, in us, by what a round trip takes longer than without."""
    stop = {"rule": "time", "trial": "20 ms", "trials": 5}
    step = {"name": "latency", "pattern": "pingpong", "sizes": ["8 B"], "stop": stop}
    latency = {"name": "latency", "launches": 3, "steps": [step]}
    one_way_us = []
    for on in (f"sim:{lab.fabric}(overhead=0us)", f"lab:{lab.fabric}"):
        run = carried_out(lab, latency, on, f"latency-{on.partition(':')[0]}")
        point = summarise(run).points[0]
        assert point.latency_us is not None
        one_way_us.append(point.latency_us.median)
    return max(0.01, (one_way_us[1] - one_way_us[0]) / 2)


def measure(lab: Lab) -> None:
    """One launch."""
    begun = time.perf_counter()
    found = collected(lab, f"lab:{lab.fabric}", f"launch-{lab.launches}")
    for key, ways in grouped(found).items():
        times_us = lab.times_us.setdefault(key, defaultdict(list))
        for one in ways:
            times_us[one.algorithm].append(one.elapsed_us)
    lab.launches += 1
    lab.took_s = time.perf_counter() - begun
    print(f"  {lab.name}, launch {lab.launches}: {lab.took_s:.0f} s", flush=True)


def collected(lab: Lab, on: str, name: str) -> list[CollectiveTiming]:
    step = {"pattern": "collective", "sizes": list(lab.sizes), "trials": TRIALS}
    steps = [
        step | {"name": f"{operation}-{number}", "operation": operation, "nodes": nodes}
        for operation in OPERATIONS
        for number, nodes in enumerate(lab.members)
    ]
    plan = {"name": "choices", "launches": 1, "steps": steps}
    return summarise(carried_out(lab, plan, on, name)).results["collectives"]


def carried_out(lab: Lab, plan: dict[str, object], on: str, name: str) -> RunFolder:
    run = start_run(run_request(plan, on, RunOptions(scale=lab.scale, out=lab.folder / name)))
    for warning in run.meta.warnings:
        print(f"  warning {warning.code}: {warning.message}", flush=True)
    if run.meta.status != "complete":
        raise RuntimeError(f"{plan['name']} on {on} ended {run.meta.status}")
    lab.was_limit |= are_of_machine(run.meta.warnings)
    return run


def grouped(found: Sequence[CollectiveTiming]) -> dict[Key, list[CollectiveTiming]]:
    groups = defaultdict(list)
    for one in found:
        groups[one.operation, one.nodes, one.size_bytes].append(one)
    return groups


def choices_of(lab: Lab) -> Iterator[Choice]:
    for key, times_us in lab.times_us.items():
        known = {name: median_interval(each, upper=True) for name, each in times_us.items()}
        best = min(known, key=lambda name: known[name].median)
        guess = lab.predicted[key]
        times = (known[guess].median, best, known[best].median, known[best].high)
        yield Choice(lab.name, key, guess, *times)


def report(labs: Sequence[Lab]) -> None:
    by_lab = {lab.name: list(choices_of(lab)) for lab in labs if lab.launches}
    choices = [one for own in by_lab.values() for one in own]
    for one in choices:
        operation, nodes, size = one.key
        said = "right" if one.is_right else "WRONG"
        print(
            f"{one.lab:12} {operation:14} {nodes:3} nodes {size:7} B: {said}, predicted {one.predicted} "
            f"{one.predicted_us:.0f} us, measured {one.best} {one.best_us:.0f} us"
        )
    worst = max(one.predicted_us / one.best_us for one in choices)
    limited = sum(lab.was_limit for lab in labs)
    goals = [
        Goal("best algorithm predicted right", share(choices), "%", at_least=90),
        *(Goal(f"of these on {name}", share(own), "%") for name, own in by_lab.items()),
        Goal("choices (operation, nodes, size)", len(choices)),
        Goal("launches, fewest of a lab", min(lab.launches for lab in labs)),
        Goal("the predicted one's time over the best's, worst", worst),
        Goal("labs whose forwarder was the limit at times", limited),
    ]
    for goal in goals:
        print(goal.what, goal.measured, goal.unit, goal.text or "", goal.is_met, flush=True)
    save("kernel_choices", goals)


def share(choices: Sequence[Choice]) -> float:
    return 100 * sum(one.is_right for one in choices) / len(choices)


if __name__ == "__main__":
    main()
