"""Traffic simulations: the same cars for any number of domains, how fast on one core, the order of Xibalba's networks.

Published beside: all of Switzerland up to 190 times faster than real time on 64 processors of 1 GHz with Myrinet, at a
speedup of 28, so 6.8 times on one (N. Cetin, A. Burri and K. Nagel, "Parallel Queue Model Approach to Traffic
Microsimulations", 2002; MATSim's model); Portland on 16 dual Pentiums of 500 MHz about 40 times (K. Nagel and M.
Rickert, "Parallel implementation of the TRANSIMS micro-simulation", Parallel Computing 27(12), 2001). Machines were
slower then, and both have other maps.

Networks are simulated with all cars, at 64 nodes; Myrinet has 32, so it stands beside E7 and ER16 of 32. The study's
ratios (`qt_*` in catalog/published/xibalba_aapc.toml) are of an application whose messages are not published: only the
order is asked for.

Takes about 3 minutes.
"""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path

import weft
from common.machine import machine
from common.results import Goal, save
from weft import _core
from weft.diagnosis.traffic import Driven, traffic
from weft.plan.load import load_plan
from weft.plan.plan import to_json
from weft.runs.folder import Run

DOMAINS = (1, 2, 4, 8, 16, 64)
SIX_HOURS_S = 21_600
STEPS = {step.name: to_json(step) for step in load_plan("traffic").steps}


def main() -> None:
    print(machine(), flush=True)
    goals = [*same_cars(), *one_core(), *order()]
    for goal in goals:
        print(goal.what, goal.measured, goal.unit, goal.text or "", goal.is_met, flush=True)
    save("traffic", goals)


def same_cars() -> list[Goal]:
    """How many hashes of all cars there are after an hour."""
    goals = []
    for demand, step in STEPS.items():
        hashes = {_core.simulate_traffic(step, n, 3600)["hash"] for n in DOMAINS}
        what = f"{demand}: hashes after an hour for 1, 2, 4, 8, 16 and 64 domains"
        goals.append(Goal(what, len(hashes), at_most=1))
    return goals


def one_core() -> list[Goal]:
    """All six hours on one core."""
    goals = []
    for demand, step in STEPS.items():
        found = _core.simulate_traffic(step, 1, SIX_HOURS_S)
        ratio = SIX_HOURS_S / found["elapsed_s"]
        car_ns = found["elapsed_s"] * 1e9 / found["passed"]
        cars = found["arrived"] + found["driving"] + found["waiting"]
        what = f"{demand}: {cars:,} cars in six hours on one core"
        goals.append(Goal(f"{what}, times real time", ratio, at_least=100))
        goals.append(Goal(f"{what}, a car at the end of a link", car_ns, "ns"))
    return goals


def order() -> list[Goal]:
    """Real-time ratios of one network over another's."""
    pairs = [
        ("bottleneck", 64, "maintenance", "e7-config2", {"at_most": 0.8}),
        ("bottleneck", 64, "e7-config2", "er16", {"at_most": 1.0, "at_least": 0.88}),
        ("even", 64, "maintenance", "e7-config2", {"at_most": 0.999}),
        ("even", 64, "e7-config2", "er16", {"at_most": 1.0, "at_least": 0.88}),
        ("bottleneck", 32, "er16", "myrinet", {"at_most": 0.999}),
        ("even", 32, "e7-32", "myrinet", {"at_most": 0.999}),
        ("even", 32, "er16", "myrinet", {"at_most": 0.999}),
    ]
    return [
        Goal(
            f"{demand} over {nodes} nodes: {slow} over {fast} (sim)",
            driven(slow, demand, nodes).real_time_ratio
            / driven(fast, demand, nodes).real_time_ratio,
            **bounds,
        )
        for demand, nodes, slow, fast, bounds in pairs
    ]


@cache
def driven(network: str, demand: str, nodes: int) -> Driven:
    settings = {f"steps.{demand}.counts": [nodes], "launches": 1}
    with tempfile.TemporaryDirectory() as folder:
        on = f"sim:xibalba-{network}"
        other = ({"bottleneck", "even"} - {demand}).pop()
        settings |= {f"steps.{other}.counts": [1], f"steps.{other}.seconds": 1}
        weft.run("traffic", on, out=Path(folder) / "run", settings=settings)
        run = Run.open(str(Path(folder) / "run"))
        found = [one for one in traffic(run) if one.nodes == nodes]
    print(
        f"{network}, {demand}, {nodes} nodes: {found[0].real_time_ratio:.1f} times real time",
        flush=True,
    )
    return found[0]


if __name__ == "__main__":
    main()
