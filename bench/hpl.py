"""Linpack: the published networks in their order, and the skeleton beside the real program on a lab of four nodes.

Published: HPL with 50 MB of matrix on each node (hpl_mem_mbyte) over 16, 24, 32 and 64 nodes. The study gives neither
block sizes nor grids nor the speed of a node: here blocks of 160, the squarest grids, `1ring` (hpl_bcast_algos), and
0.7 GFlop/s in products of matrices and 0.2 in panels, which are guesses for a Pentium III of 1 GHz. Ratios count.

Lab: four nodes at 50 Mb/s on one switch, and the same in two pairs whose common line is that of one node. The real
program is xhpl, or hpcc where there is none. The rates of a node are measured by weft with four processes at once on
the lab's processors, since four processes share them while they compute. It needs a machine that does nothing else: the
processes of an MPI spin, and where they wait for a processor each of thousands of small messages waits, too.

    python bench/hpl.py [published] [lab]
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import weft
from common.machine import machine
from common.results import Goal, save
from weft.diagnosis.linpack import Solution, solutions
from weft.execute.linpack.compute_rate import measured
from weft.runs.folder import Run
from weft.testbed.open import open_testbed

NODE = {"dgemm": "0.7 GFlop/s", "panel": "0.2 GFlop/s"}
NETWORKS = {
    "Myrinet": "xibalba-myrinet",
    "ER16": "xibalba-er16",
    "E7": "xibalba-e7-config2",
    "maintenance": "xibalba-maintenance",
}
GRIDS = {16: "4x4", 24: "4x6", 32: "4x8", 64: "8x8"}
BYTES_OF_NODE = 50e6
N, NB, LAUNCHES = 2000, 64, 5
FABRICS = {
    "switch": """
name = "four"
[[hosts]]
ids = "n[1-4]"
attach = "sw"
link = { rate = "50 Mb/s", delay = "20 us" }
[[switches]]
ids = "sw"
ports = 4
""",
    "two pairs": """
name = "four"
[[hosts]]
ids = "n[1-4]"
attach = "sw[1-2]"
per_switch = 2
link = { rate = "50 Mb/s", delay = "20 us" }
[[links]]
between = ["sw1", "sw2"]
rate = "50 Mb/s"
delay = "20 us"
""",
}


def main() -> None:
    print(machine(), flush=True)
    parts = sys.argv[1:] or ["published", "lab"]
    with tempfile.TemporaryDirectory() as temporary:
        goals = [goal for part in parts for goal in PARTS[part](Path(temporary))]
    for goal in goals:
        print(goal.what, goal.measured, goal.unit, goal.text or "", goal.is_met, flush=True)
    save("hpl", goals)


def published(folder: Path) -> Iterator[Goal]:
    """Speeds of the four networks, and prices."""
    found = {
        (name, nodes): solved(
            weft.run(
                "hpl", f"sim:{fabric}", out=folder / f"{fabric}-{nodes}", settings=settings(nodes)
            )
        )
        for nodes in GRIDS
        for name, fabric in NETWORKS.items()
        if name != "Myrinet" or nodes <= 32
    }
    for (name, nodes), one in found.items():
        price = one.per_mflops.network if one.per_mflops else 0.0
        print(
            f"{nodes} nodes, {name}: {speed(one):.2f} GFlop/s, {price:.2f} USD for each MFlop/s",
            flush=True,
        )
    ethernets = [speed(found[name, 16]) for name in list(NETWORKS)[1:]]
    spread = 100 * (max(ethernets) / min(ethernets) - 1)
    yield Goal("16 nodes: Ethernets differ by (hpl_16_equal)", spread, "%", at_most=5)
    for nodes in (24, 32, 64):
        er16, e7, maintenance = (speed(found[name, nodes]) for name in list(NETWORKS)[1:])
        yield Goal(
            f"{nodes} nodes: E7 over ER16 (hpl_order: equal)",
            e7 / er16,
            "",
            at_least=0.85,
            at_most=1.15,
        )
        yield Goal(
            f"{nodes} nodes: E7 over maintenance (hpl_order: more)",
            e7 / maintenance,
            "",
            at_least=1.02,
        )
    for nodes in (24, 32):
        gain = 100 * (speed(found["Myrinet", nodes]) / speed(found["ER16", nodes]) - 1)
        yield Goal(
            f"{nodes} nodes: Myrinet over ER16 (hpl_myrinet_gain_pct)", gain, "%", at_least=50
        )


def settings(nodes: int) -> dict[str, object]:
    n = round((nodes * BYTES_OF_NODE / 8) ** 0.5)
    own = {"n": n, "nb": 160, "grid": GRIDS[nodes], "bcast": "1ring", **NODE}
    return {f"steps.hpl.{key}": value for key, value in own.items()}


def lab(folder: Path) -> Iterator[Goal]:
    """Both networks with the real program, and their skeletons."""
    real, simulated = {}, {}
    for name, text in FABRICS.items():
        path = folder / f"{name.replace(' ', '-')}.toml"
        path.write_text(text)
        rates = node_rates(path)
        own = {"n": N, "nb": NB, "grid": "2x2", "bcast": "1ringM"}
        chosen = {f"steps.hpl.{key}": value for key, value in own.items()}
        real[name] = solved(
            weft.run(
                "hpl",
                f"lab:{path}",
                out=folder / f"real-{name}",
                transport="mpi",
                launches=LAUNCHES,
                settings=chosen,
            )
        )
        chosen |= {f"steps.hpl.{key}": value for key, value in rates.items()}
        simulated[name] = solved(
            weft.run("hpl", f"sim:{path}", out=folder / f"sim-{name}", settings=chosen)
        )
        print(
            name,
            rates,
            "real",
            real[name].gflops,
            "sim",
            simulated[name].gflops,
            simulated[name].shares,
            flush=True,
        )
        off = 100 * abs(speed(simulated[name]) / speed(real[name]) - 1)
        yield Goal(
            f"lab of four nodes, {name}: skeleton on sim against the real program",
            off,
            "%",
            at_most=10,
        )
    is_right = lower(real["switch"]) > upper(real["two pairs"])
    is_right &= speed(simulated["switch"]) > speed(simulated["two pairs"])
    yield Goal(
        "lab: both say, beyond chance, that the switch is faster", float(is_right), "", at_least=1
    )


def node_rates(fabric: Path) -> dict[str, str]:
    """Of four processes at once on the processors that a lab leaves to its nodes."""
    with open_testbed(f"lab:{fabric}", 1.0) as testbed:
        cpus = sorted(set(testbed.cpus or []))
    found = measured(NB, 4, cpus)
    return {
        "dgemm": f"{found.dgemm_flops / 1e6:.0f} MFlop/s",
        "panel": f"{found.panel_flops / 1e6:.0f} MFlop/s",
    }


def solved(run: weft.Run) -> Solution:
    assert run.folder
    [one] = solutions(Run.open(run.folder))
    return one


def lower(one: Solution) -> float:
    return one.gflops.low if one.gflops else 0.0


def upper(one: Solution) -> float:
    return one.gflops.high if one.gflops else 0.0


def speed(one: Solution) -> float:
    assert one.gflops, "nothing right was solved"
    return one.gflops.median


PARTS = {"published": published, "lab": lab}

if __name__ == "__main__":
    main()
