"""Do pairs fill several interfaces?

Several pairs over several interfaces: what each policy gets of what the interfaces carry alone.

usage: bench/run.py multi_pair [--scale S] [--launches N] [--labs LAB...] [--figures DIR]

On labs with two and with four interfaces per node, as many pairs as interfaces, messages of 256 KiB in windows of 64.
The goals: independent pairs get at least 95 % of the sum of the interfaces alone, and independent >= striped >= shared,
where a policy counts as not above another unless their intervals are apart.

Takes about 6 minutes.
"""

from __future__ import annotations

import argparse
import tempfile
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from common.machine import machine
from common.results import Goal, save
from weft.measure.execute.options.run_options import RunOptions
from weft.measure.execute.request import RunRequest, start_run
from weft.understand.multi_pair.multi_pair import MultiPairPoint, multi_pair_points
from weft.understand.report.page import write_figures

LABS = {"two-nics": 2, "four-nics": 4}
ORDER = ("independent", "striped", "shared")
POLICIES = ("alone", *ORDER, "mptcp")
GOAL = 0.95
PLAN = """
name = "multi-pair-{pairs}"
launches = {launches}
"""
STEP = """
[[steps]]
name = "{test}"
pattern = "multipair"
test = "{test}"
pairs = [{pairs}]
interfaces = {policies}
window = 64
sizes = ["256 KiB"]
at_most = "250 ms"
stop = {{ rule = "count", repeats = 20, trials = 10 }}
"""


@dataclass(frozen=True)
class Result:
    """One test on one lab."""

    lab: str
    test: str
    alone: list[MultiPairPoint]
    by_policy: dict[str, MultiPairPoint]

    @property
    def sum_alone_mbps(self) -> float:
        return sum(point.sum_mbps.median for point in self.alone)

    @property
    def is_reached(self) -> bool:
        share = self.by_policy["independent"].of_alone
        return share is not None and share.median >= GOAL

    @property
    def is_in_order(self) -> bool:
        chosen = [self.by_policy[policy].sum_mbps for policy in ORDER]
        return all(a.high >= b.low for a, b in pairwise(chosen))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--scale", type=float, default=0.5, help="of 100 Mb/s an interface")
    parser.add_argument("--launches", type=int, default=3)
    parser.add_argument("--labs", nargs="+", choices=LABS, default=list(LABS))
    parser.add_argument("--figures", type=Path, help="draw the figures there, too")
    arguments = parser.parse_args()
    print(machine())
    print(f"\n{arguments.launches} launches, interfaces of {100 * arguments.scale:g} Mb/s")
    with tempfile.TemporaryDirectory() as folder:
        results = [
            result
            for lab in arguments.labs
            for result in measure(Path(folder), lab, LABS[lab], arguments)
        ]
    reached = sum(result.is_reached for result in results)
    in_order = sum(result.is_in_order for result in results)
    print(f"\nindependent >= {GOAL:.0%} of alone: {reached} of {len(results)}")
    print(f"independent >= striped >= shared: {in_order} of {len(results)}")
    save("multi_pair", goals_of(results))


def measure(folder: Path, lab: str, pairs: int, arguments: argparse.Namespace) -> list[Result]:
    """Run both tests on a lab and print what came out."""
    path = folder / f"{lab}.toml"
    steps = [
        STEP.format(test=test, pairs=pairs, policies=list(POLICIES))
        for test in ("one-way", "two-way")
    ]
    path.write_text(PLAN.format(pairs=pairs, launches=arguments.launches) + "".join(steps))
    out = str(folder / lab)
    run = start_run(RunRequest(str(path), f"lab:{lab}", RunOptions(out=out, scale=arguments.scale)))
    if run.meta.status != "complete":
        raise SystemExit(f"{lab}: the run is {run.meta.status}")
    for warning in run.meta.warnings:
        print(f"warning: {warning.message}")
    if arguments.figures:
        write_figures([run], arguments.figures / lab)
    points = multi_pair_points(run)
    results = [result_of(lab, test, points) for test in ("one-way", "two-way")]
    for result in results:
        print_result(result)
    return results


def goals_of(results: list[Result]) -> list[Goal]:
    shares = {f"{one.lab}, {one.test}": one.by_policy["independent"].of_alone for one in results}
    named = [
        Goal(
            f"{name}: independent pairs, of the interfaces alone",
            100 * share.median if share else None,
            "%",
            at_least=100 * GOAL,
        )
        for name, share in shares.items()
    ]
    in_order, count = sum(one.is_in_order for one in results), len(results)
    order = f"tests in which {' >= '.join(ORDER)}, of {count}"
    return [*named, Goal(order, in_order, at_least=count)]


def result_of(lab: str, test: str, points: list[MultiPairPoint]) -> Result:
    mine = [point for point in points if point.test == test]
    alone = [point for point in mine if point.policy == "alone"]
    return Result(lab, test, alone, {one.policy: one for one in mine if one.policy != "alone"})


def print_result(result: Result) -> None:
    each = ", ".join(f"{point.sum_mbps.median:.2f}" for point in result.alone)
    print(f"\n{result.lab}, {result.test}: interfaces alone {each} Mb/s")
    for policy, point in result.by_policy.items():
        share, rate = point.of_alone, point.sum_mbps
        sum_share = rate.median / result.sum_alone_mbps
        of_used = f", {share.median:.1%} of those it uses" if share else ""
        print(
            f"  {policy:12} {rate.median:7.2f} ({rate.low:.2f} to {rate.high:.2f}) Mb/s, "
            f"{sum_share:.1%} of all alone{of_used}; spread {point.spread_pct:.1f} %"
        )


if __name__ == "__main__":
    main()
