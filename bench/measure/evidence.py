"""What does reading the kernel's counters cost?

What it costs to read the kernel's counters beside batches: the 1-byte half round trip of `lab:pair`.

usage: bench/run.py evidence [--launches N]

Each launch measures four times, in the order with, without, without, with, which a steady drift does not favour. As
many launches have it the other way round. Printed is the median over launches of the ratio, with its interval, and the
same of launches in which nothing is ever recorded: how far the bench itself is off.

Takes about 2 minutes.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
from pathlib import Path

import pyarrow.compute as pc

from common.machine import machine
from common.ratio import percent, text
from common.results import Goal, save
from weft.measure.execute.options.run_options import RunOptions
from weft.measure.execute.request import RunRequest, start_run
from weft.measure.testbed.open import open_testbed
from weft.runs.folder import RunFolder

PARTS = 4
STEP = """
[[steps]]
name = "{name}"
pattern = "pingpong"
sizes = ["1 B"]
stop = {{ rule = "time", trial = "10 ms", trials = 12 }}
options = {{ evidence = {evidence}, cpus = [0, 1], wait = "block" }}
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])  # type: ignore[union-attr]
    parser.add_argument("--launches", type=int, default=40, help="of each order")
    launches = parser.parse_args().launches
    print(machine())
    with open_testbed("lab:pair"):
        costs = [
            *ratios((True, False, False, True), launches),
            *(1 / one for one in ratios((False, True, True, False), launches)),
        ]
        nothing = ratios((False,) * PARTS, launches)
    cost_pct, noise_pct = map(percent, (costs, nothing))
    print(f"half round trip of 1 B, with evidence, longer by: {text(cost_pct)}")
    print(f"the same without evidence on either side:         {text(noise_pct)}")
    what = "half round trip of 1 B with evidence, longer than without by (median over launches)"
    save(
        "evidence",
        [
            Goal(what, cost_pct.median, "%", at_most=1.0),
            Goal(f"{what}, upper end of its interval", cost_pct.high, "%"),
            Goal("the same where neither side has evidence", noise_pct.median, "%"),
        ],
    )


def ratios(order: tuple[bool, ...], launches: int) -> list[float]:
    """Of each launch, the time of the outer two parts against the inner two."""
    steps = [
        STEP.format(name=f"part-{at}", evidence=str(evidence).lower())
        for at, evidence in enumerate(order)
    ]
    with tempfile.TemporaryDirectory() as folder:
        plan = Path(folder, "plan.toml")
        plan.write_text('name = "evidence"\n' + "".join(steps))
        overrides = [("launches", str(launches))]
        run = start_run(
            RunRequest(
                str(plan), "lab:pair", RunOptions(out=f"{folder}/run", settings=dict(overrides))
            )
        )
        assert run.meta.status == "complete", run.meta.warnings
        return [ratio(run, launch) for launch in range(launches)]


def ratio(run: RunFolder, launch: int) -> float:
    times = [half_round_trip_ns(run, launch, step) for step in range(PARTS)]
    return (times[0] + times[3]) / (times[1] + times[2])


def half_round_trip_ns(run: RunFolder, launch: int, step: int) -> float:
    """The median over the batches of a launch."""
    mine = run.samples.filter((pc.field("launch") == launch) & (pc.field("step") == step))
    rows = mine.select(["elapsed_ns", "messages"]).to_pylist()
    return statistics.median(row["elapsed_ns"] / row["messages"] / 2 for row in rows)


if __name__ == "__main__":
    main()
