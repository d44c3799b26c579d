"""LAWS on this machine: p by the throughputs of a sweep beside p by processor time where no application computes.

usage: bench/laws_live.py [--launches 8] [--on local:2]

A stream's receiver computes gamma times what receiving costs it. p is the share of receiving that its processor does
not do. Directly: processor time at gamma 0. By the sweep: the fit of LAWS to throughput over gamma, with the work that
was really done. Where they disagree, the last table says why: what receiving costs the receiver's own processor at each
gamma, by its time without the application's work. LAWS has it constant.

Takes about a minute.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Sequence
from pathlib import Path

from common.machine import machine
from common.results import Goal, save
from weft.diagnosis.node.applications import LoadedPoint, loaded_points
from weft.diagnosis.node.gamma_runs import sweep_of_runs
from weft.execute.request import RunRequest, start_run
from weft.interval import Interval
from weft.model.laws_fit import fit_laws
from weft.runs.folder import Run

GAMMAS = "'0:4:0.5'"
CONGESTION = "'cubic'"
"""BBR paces, by a model of the path that changes while it measures."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])  # type: ignore[union-attr]
    parser.add_argument("--launches", type=int, default=8)
    parser.add_argument("--on", default="local:2")
    arguments = parser.parse_args()
    print(machine(), flush=True)
    with tempfile.TemporaryDirectory() as folder:
        run = sweep(Path(folder, "run"), arguments.on, arguments.launches)
        points = loaded_points(run)
        fitted = {one.name: one for one in fit_laws(sweep_of_runs([run]).points, {}).estimates}
    p = fitted["p"]
    direct = next(one.live.p for one in points if one.live and one.live.p)
    low, high = p.low or 0.0, 1.0 if p.high is None else p.high
    print(
        f"p by processor time at gamma 0: {direct.median:.3f} ({direct.low:.3f} to {direct.high:.3f})"
    )
    print(f"p by the sweep's throughputs:   {p.value:.3f} ({low:.3f} to {high:.3f})")
    is_within = low <= direct.median <= high
    print("the first lies in the second's interval" if is_within else "the first lies outside")
    loaded = print_own_costs(points)
    save("laws_live", goals(direct, (low, p.value, high), loaded))


def sweep(folder: Path, on: str, launches: int) -> Run:
    overrides = [
        ("launches", str(launches)),
        ("steps.*.gamma", GAMMAS),
        ("steps.*.options.congestion", CONGESTION),
    ]
    return start_run(RunRequest("gamma-sweep", on, str(folder), overrides=overrides))


def print_own_costs(points: Sequence[LoadedPoint]) -> float:
    """What receiving costs the receiver's processor, and p by it; gives p at the greatest gamma."""
    whole_ns = points[0].laws_before_mbps and 8e3 / points[0].laws_before_mbps
    print("\n gamma  work done  receiving, own ns/byte      p")
    shares = []
    for one in points:
        assert one.live is not None
        own_ns = one.live.host_ns / one.size_bytes
        shares.append(1 - own_ns / whole_ns)
        print(f"{one.gamma:6g} {one.gamma_done:10.3f} {own_ns:23.4f} {shares[-1]:6.3f}")
    return shares[-1]


def goals(direct: Interval, fitted: tuple[float, float, float], loaded: float) -> list[Goal]:
    low, p, high = fitted
    return [
        Goal(
            "live gamma: p by processor time at gamma 0, in the interval of p by the sweep",
            direct.median,
            at_least=float(f"{low:.3g}"),
            at_most=float(f"{high:.3g}"),
        ),
        Goal("live gamma: p by the sweep", p),
        Goal("live gamma: p by processor time at the greatest gamma", loaded),
    ]


if __name__ == "__main__":
    main()
