"""Does the skeleton of Linpack behave as the program?

Linpack: the published networks in their order, and the skeleton beside the real program on a lab of four nodes.

Published: HPL with 50 MB of matrix on each node (hpl_mem_mbyte) over 16, 24, 32 and 64 nodes. The study gives neither
block sizes nor grids nor the speed of a node: here blocks of 160, the squarest grids, `1ring` (hpl_bcast_algos), and
0.7 GFlop/s in products of matrices and 0.2 in panels, which are guesses for a Pentium III of 1 GHz. Ratios count.

Lab: four nodes at 20 Mb/s on one switch, and the same in two pairs whose common line is that of one node. The real
program is xhpl, built where there is none (peers/xhpl.py). The rates of a node are measured with the BLAS of that
program, with four processes at once on the processors that the lab leaves to its nodes, since there they share them. It
needs a machine that does nothing else: processes of an MPI spin, and where they wait for a processor each of thousands
of small messages waits, too. The lines are slow, so that a frame takes much longer than the machine is late with it.

    bench/run.py hpl [published] [lab]

tier: peers
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import weft
from common.machine import machine
from common.peers.xhpl import xhpl
from common.results import Goal, save
from weft.measure.execute.linpack.blas import blas_here
from weft.measure.execute.linpack.compute_rate import measured
from weft.measure.testbed.open import open_testbed
from weft.runs.folder import RunFolder
from weft.understand.kinds.linpack.solution import Solution, solutions

NODE = {"dgemm": "0.7 GFlop/s", "panel": "0.2 GFlop/s"}
NETWORKS = {
    "Myrinet": "xibalba-myrinet",
    "ER16": "xibalba-er16",
    "E7": "xibalba-e7-config2",
    "maintenance": "xibalba-maintenance",
}
GRIDS = {16: "4x4", 24: "4x6", 32: "4x8", 64: "8x8"}
BYTES_OF_NODE = 50e6
N, NB, LAUNCHES = 1500, 64, 5
FABRICS = {
    "switch": """
name = "four"
[[hosts]]
ids = "n[1-4]"
attach = "sw"
link = { rate = "20 Mb/s", delay = "20 us" }
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
link = { rate = "20 Mb/s", delay = "20 us" }
[[links]]
between = ["sw1", "sw2"]
rate = "20 Mb/s"
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
    """Both networks with the real program, and their skeletons, by agents and simulated."""
    program = str(xhpl(new(folder / "xhpl")))
    paths = {name: folder / f"{name.replace(' ', '-')}.toml" for name in FABRICS}
    for name, text in FABRICS.items():
        paths[name].write_text(text)
    rates = node_rates(paths["switch"], program)
    print("a node computes", rates, flush=True)
    found = {}
    for name, path in paths.items():
        found[name] = beside(path, program, rates, folder / path.stem)
        print(name, *(f"{who}: {one.gflops}" for who, one in found[name].items()), flush=True)
        yield from apart(name, found[name])
    is_right = lower(found["switch"]["real"]) > upper(found["two pairs"]["real"])
    for who in ("agents", "sim"):
        is_right &= speed(found["switch"][who]) > speed(found["two pairs"][who])
    what = "lab: all say, the real program beyond chance, that the switch is faster"
    yield Goal(what, float(is_right), "", at_least=1)


def beside(fabric: Path, program: str, rates: dict[str, str], folder: Path) -> dict[str, Solution]:
    """The real program, its skeleton by agents on the same lab, and simulated."""
    own = {"n": N, "nb": NB, "grid": "2x2", "bcast": "1ringM"}
    real = {f"steps.hpl.{key}": value for key, value in (own | {"program": program}).items()}
    skeleton = {f"steps.hpl.{key}": value for key, value in (own | rates).items()}
    on = f"lab:{fabric}"
    runs = {
        "real": weft.run(
            "hpl",
            on,
            out=folder / "real",
            transport="mpi",
            launches=LAUNCHES,
            settings=real,
        ),
        "agents": weft.run("hpl", on, out=folder / "agents", launches=LAUNCHES, settings=skeleton),
        "sim": weft.run("hpl", f"sim:{fabric}", out=folder / "sim", settings=skeleton),
    }
    return {who: solved(run) for who, run in runs.items()}


def apart(name: str, found: dict[str, Solution]) -> Iterator[Goal]:
    """How far skeletons are from the real program, and from each other."""
    title = f"lab of four nodes, {name}"
    for one, other, what in (
        ("agents", "real", "skeleton by agents against the real program"),
        ("sim", "agents", "skeleton on sim against agents"),
    ):
        off = 100 * abs(speed(found[one]) / speed(found[other]) - 1)
        yield Goal(f"{title}: {what}", off, "%", at_most=10)


def node_rates(fabric: Path, program: str) -> dict[str, str]:
    """Of four processes at once on the processors that a lab leaves to its nodes, with the BLAS of the real program."""
    with open_testbed(f"lab:{fabric}", 1.0) as testbed:
        cpus = sorted(set(testbed.cpus or []))
    found = measured(NB, 4, cpus, blas_here(program, is_to_run=True))
    return {
        "dgemm": f"{found.dgemm_flops / 1e6:.0f} MFlop/s",
        "panel": f"{found.panel_flops / 1e6:.0f} MFlop/s",
    }


def new(folder: Path) -> Path:
    folder.mkdir()
    return folder


def solved(run: weft.Run) -> Solution:
    assert run.folder
    [one] = solutions(RunFolder.open(run.folder))
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
