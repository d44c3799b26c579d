"""Sweeps and decisions: how fast, what a kill costs, whether machines agree, and the verdict of the Xibalba study."""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import weft
from common.checkout import ROOT
from common.results import Goal, save
from support.clusters.slurm import is_possible, slurm
from weft.base import catalog
from weft.base.nodeset import fold
from weft.decisions.decision.document import DesignDecision, DesignResult
from weft.decisions.decision.request import parse_request
from weft.faces.api.bill import bill
from weft.simulation.sweep.folder import SweepFolder, table_rows
from weft.simulation.sweep.row import SweepRow
from weft.simulation.sweep.work_list import run_chunk

DESIGNS = """
name = "two hundred networks of a thousand hosts"
hosts = 1000
prices = "slim-fly-2014"

[[designs]]
name = "fat tree"
fabric = "fat-tree(k=16,hosts=1000,oversubscription=1..4,rate=RATES,delay=1 us|500 ns|200 ns)"
[[designs]]
name = "clos of 24"
fabric = "clos(leaves=42,hosts=24,spines=2..24/2,rate=RATES)"
[[designs]]
name = "clos of 48"
fabric = "clos(leaves=21,hosts=48,spines=4..48/4,rate=RATES)"
[[designs]]
name = "dragonfly"
fabric = "dragonfly(groups=16..17,routers=8,hosts=8,global=2|4,rate=RATES)"
[[designs]]
name = "torus"
fabric = "torus(dims=10x10x10|16x8x8|32x32,rate=RATES)"
[[designs]]
name = "chassis"
fabric = "chassis(cards=10,chips=2,hosts=50,rate=10 Gb/s,chip=250 Gb/s|500 Gb/s,card=200 Gb/s|400 Gb/s|800 Gb/s)"
[[designs]]
name = "star"
fabric = "star(hosts=1000,capacity=1000 Gb/s|2000 Gb/s|4000 Gb/s|8000 Gb/s,rate=RATES)"
[[designs]]
name = "crossbar"
fabric = "crossbar(hosts=1000,rate=10 Gb/s|25 Gb/s|40 Gb/s|50 Gb/s|100 Gb/s|200 Gb/s)"

[[workloads]]
name = "all-to-all"
plan = "aapc"
weight = 2
[[workloads]]
name = "neighbours"
plan = "ring"
settings = { "steps.ring.sizes" = ["1 MiB"] }
[[workloads]]
name = "no order"
plan = "random-permutations"
[workloads.settings]
"steps.permutations.sizes" = ["64 KiB"]
"steps.permutations.permutations" = 5
"steps.bisections.sizes" = ["64 KiB"]
"steps.bisections.permutations" = 5
[[workloads]]
name = "to one"
plan = "incast"
[[workloads]]
name = "image"
plan = "cast"

[uncertain]
prices = "20 %"
simulator = "10 %"
overhead = "5 us..20 us"

[decision]
by = "cost-performance"
""".replace("RATES", "10 Gb/s|25 Gb/s|40 Gb/s|100 Gb/s")

SMALL = "clos(leaves=16,hosts=16,spines=1..8,rate=1 Gb/s|2 Gb/s|5 Gb/s|10 Gb/s|25 Gb/s|40 Gb/s)"


def main(arguments: list[str]) -> None:
    """Run what is asked for; all of it where nothing is."""
    parser = argparse.ArgumentParser(prog="bench/run.py decide --part sweep")
    parser.add_argument("--only", choices=["speed", "kill", "slurm", "xibalba"], action="append")
    chosen = parser.parse_args(arguments).only or ["speed", "kill", "slurm", "xibalba"]
    with tempfile.TemporaryDirectory() as folder:
        goals = {
            "speed": _speed,
            "kill": _kill,
            "slurm": _slurm,
            "xibalba": _xibalba,
        }
        for name in chosen:
            save("decide", list(goals[name](Path(folder, name))), part=f"sweep-{name}")


def _speed(folder: Path) -> Iterator[Goal]:
    folder.mkdir()
    file = folder / "designs.toml"
    file.write_text(DESIGNS)
    load, start = os.getloadavg()[0], time.perf_counter()
    _weft("decide", file, "--out", folder / "out", "--json")
    took_s = time.perf_counter() - start
    found = weft.open_decision(folder / "out").decision
    each_s = _each_design_s(folder / "out")
    print(
        f"{len(found.designs)} designs x {len(found.workloads)} workloads with intervals: {took_s:.1f} s; "
        f"load before it {load:.1f}; {each_s:.3f} s of a processor for each design; {len(found.failed)} not simulated"
    )
    yield Goal("designs", len(found.designs))
    yield Goal("designs that were not simulated", len(found.failed), at_most=0)
    yield Goal("200 designs of 1,000 hosts x 5 workloads with intervals", took_s, "s", at_most=60)
    yield Goal("load before it began", load)
    yield Goal("a processor's time for each design", each_s, "s")
    yield from _sampling(folder / "out", found)


def _sampling(folder: Path, found: DesignDecision) -> Iterator[Goal]:
    """How far off times from some phases are, of designs as they come, against all phases."""
    exact_file = folder.with_name("exact.toml")
    head, _, rest = DESIGNS.partition("[[designs]]")
    parts = rest.split("[[designs]]")
    workloads = parts[-1][parts[-1].index("[[workloads]]") :]
    some = "".join(
        f'[[designs]]\nname = "{name}"\nfabric = "{fabric}"\n' for name, fabric in EXACT.items()
    )
    exact_file.write_text(f"phases = 4000\n{head}{some}{workloads}")
    _weft("decide", exact_file, "--out", folder.with_name("exact"), "--json")
    exact = {
        one.name: one for one in weft.open_decision(folder.with_name("exact")).decision.designs
    }
    sampled = {one.name: one for one in found.designs}
    off = [
        sampled[SAMPLED[name]].times[0].time_s.median / one.times[0].time_s.median - 1
        for name, one in exact.items()
    ]
    said = [sampled[SAMPLED[name]].times[0].sampling_error for name in exact]
    for name, far, error in zip(exact, off, said, strict=True):
        print(f"  all-to-all from 65 of 999 phases, {name}: {far:+.2%} (says {error:.2%})")
    worst = max(map(abs, off))
    yield Goal("all-to-all from 65 of 999 phases, worst of 5", worst * 100, "%", at_most=5)


EXACT = {
    "fat tree": "fat-tree(k=16,hosts=1000,oversubscription=2,rate=10 Gb/s,delay=1 us)",
    "clos": "clos(leaves=42,hosts=24,spines=8,rate=10 Gb/s)",
    "dragonfly": "dragonfly(groups=17,routers=8,hosts=8,global=2,rate=10 Gb/s)",
    "torus": "torus(dims=10x10x10,rate=10 Gb/s)",
    "star": "star(hosts=1000,capacity=2000 Gb/s,rate=10 Gb/s)",
}
SAMPLED = {
    "fat tree": "fat tree oversubscription=2,rate=10 Gb/s,delay=1 us",
    "clos": "clos of 24 spines=8,rate=10 Gb/s",
    "dragonfly": "dragonfly groups=17,global=2,rate=10 Gb/s",
    "torus": "torus dims=10x10x10,rate=10 Gb/s",
    "star": "star capacity=2000 Gb/s,rate=10 Gb/s",
}


def _kill(folder: Path) -> Iterator[Goal]:
    """Killed in the middle, three times: what was on the disk, what came back, and that the table is the same."""
    file = _small(folder)
    _weft("decide", file, "--out", folder / "whole", "--json")
    whole = _rows(folder / "whole")
    lost = 0
    for _ in range(3):
        done = _killed(file, folder / "killed")
        missing = len(_missing(folder / "killed"))
        lost = max(lost, done - (len(SweepFolder(folder / "killed").work().chunks) - missing))
        print(f"killed with {done} chunks done; {missing} left")
    _weft("decide", file, "--out", folder / "killed", "--resume", "--json")
    same = _rows(folder / "killed") == whole
    print(f"chunks lost that were done: {lost}; the same table afterwards: {same}")
    yield Goal("finished chunks that kill -9 lost, of 3 kills", lost, at_most=0)
    yield Goal("the same table after kills", float(same), at_least=1)


def _slurm(folder: Path) -> Iterator[Goal]:
    """Two nodes of a Slurm on this machine, and processes: the same table, bit by bit."""
    if why := is_possible():
        print(f"slurm: {why}")
        yield Goal("two Slurm nodes and processes give the same table", None, at_least=1)
        return
    file = _small(folder)
    _weft("decide", file, "--out", folder / "processes", "--json")
    (folder / "slurm").mkdir()
    with slurm(folder / "slurm") as here:
        start = time.perf_counter()
        done = here.weft("decide", file, "--out", folder / "nodes", "--executor", "slurm")
        took_s = time.perf_counter() - start
    assert done.returncode == 0, done.stderr
    nodes = {log.stem.partition("-")[2] for log in (folder / "nodes/slurm").glob("*.log")}
    same = _bits(folder / "nodes") == _bits(folder / "processes")
    print(
        f"Slurm: {took_s:.1f} s, on {len(nodes)} nodes ({fold(nodes)}); the same bits as processes: {same}"
    )
    yield Goal("Slurm's nodes that took part", len(nodes), at_least=2)
    yield Goal("two Slurm nodes and processes give the same table", float(same), at_least=1)


def _xibalba(folder: Path) -> Iterator[Goal]:
    """What follows of the study's orders and verdict from `weft decide xibalba`."""
    folder.mkdir()
    _weft("decide", "xibalba", "--out", folder / "network", "--json")
    found = weft.open_decision(folder / "network").decision
    said = list(_statements(found, folder))
    for one in said:
        print(f"{'follows' if one.holds else 'does not follow':16}{one.id}: {one.text}")
    follows = [one for one in said if one.holds]
    yield Goal("statements of the Xibalba study that follow", len(follows), at_least=len(said))
    yield Goal("of so many", len(said))


@dataclass(frozen=True)
class Statement:
    """A result of xibalba_aapc.toml, whether it follows, and from what."""

    id: str
    holds: bool
    text: str


def _statements(found: DesignDecision, folder: Path) -> Iterator[Statement]:
    by_name = {one.name: one for one in found.designs}
    maintenance, e7, er16, myrinet = (
        by_name[name] for name in ("maintenance", "E7", "ER16", "Myrinet")
    )
    yield from _of_costs(found)
    yield from _of_times(maintenance, e7, er16, myrinet, folder)
    value = {one.name: _value(one) for one in found.designs}
    order = sorted(value, key=lambda name: value[name])
    shown = " < ".join(f"{name} {value[name]:,.0f}" for name in order)
    ends = {order[0], order[1]} == {"maintenance", "Myrinet"} and order[-1] == "ER16"
    yield Statement("rec_cost_perf", ends, f"network's price for each host x time: {shown}")
    insensitive = er16.times[0].time_s.median > 0.95 * maintenance.times[0].time_s.median
    hpl = _time(maintenance, "HPL") / _time(er16, "HPL")
    text = f"an image takes as long on all Ethernets; HPL on maintenance {hpl:.2f} times ER16's"
    yield Statement("rec_apps_insensitive", insensitive and hpl < 1.2, text)
    cluster = ", ".join(_value_order(folder, "cluster"))
    print(
        f"by the price of the cluster instead of the network's, which the study does not take: {cluster}"
    )


def _of_costs(found: DesignDecision) -> Iterator[Statement]:
    shares = {one.name: one.cost.share or 0.0 for one in found.designs if one.cost}
    shared = bill("xibalba-myrinet-shared").sum.share or 0.0
    order = [shares["Myrinet"], shared, shares["ER16"], shares["E7"], shares["maintenance"]]
    text = ", ".join(f"{share:.0%}" for share in order)
    yield Statement("cost_order", order == sorted(order, reverse=True), f"shares {text}")
    ends = [shares["maintenance"], shares["ER16"], shares["Myrinet"]]
    near = all(abs(one - want) < 0.01 for one, want in zip(ends, (0.04, 0.20, 0.35), strict=True))
    yield Statement("concl_cost_range_pct", near, ", ".join(f"{one:.1%}" for one in ends))


def _of_times(
    maintenance: DesignResult,
    e7: DesignResult,
    er16: DesignResult,
    myrinet: DesignResult,
    folder: Path,
) -> Iterator[Statement]:
    rates = _aapc_rates(folder)
    text = ", ".join(f"{name} {mbps:.1f} Mb/s a node" for name, mbps in rates.items())
    follows = rates["ER16"] > rates["E7"] > rates["maintenance"]
    yield Statement("aapc_eth_order", follows, text)
    images = [_time(one, "image") for one in (e7, er16, maintenance)]
    equal = max(images) < 1.05 * min(images)
    yield Statement("dolly_order", equal, ", ".join(f"{one:.2f} s" for one in images))
    hpl = [_time(one, "HPL") for one in (myrinet, er16, e7, maintenance)]
    text = ", ".join(f"{one:.2f} s" for one in hpl)
    equal = abs(hpl[1] / hpl[2] - 1) < 0.05
    yield Statement("hpl_order: Myrinet > ER16 = E7", hpl[0] < hpl[1] and equal, text)
    worse = hpl[3] > 1.05 * hpl[2]
    yield Statement(
        "hpl_order: > maintenance", worse, "a ring crosses each uplink once; HPL also swaps rows"
    )
    # One interface of Myrinet serves the two processors of a node; the others are of one.
    prices = {"maintenance": 145.0, "E7": 480.0, "Myrinet": 900.0, "ER16": 818.0}
    times = {"maintenance": hpl[3], "E7": hpl[2], "Myrinet": hpl[0], "ER16": hpl[1]}
    value = {name: prices[name] * times[name] for name in prices}
    order = sorted(value, key=lambda name: value[name])
    yield Statement("hpl_price_order", order == list(prices), " < ".join(order))
    traffic = [_time(one, "traffic") for one in (myrinet, er16, e7, maintenance)]
    text = ", ".join(f"{one:.2f} s" for one in traffic)
    yield Statement("qt_order", traffic == sorted(traffic), text)
    factor = traffic[3] / traffic[2]
    text = f"{factor:.1f}, published 2: its messages go to neighbours more than to all"
    yield Statement("qt_50k_maint_factor", 1.6 < factor < 2.4, text)


def _aapc_rates(folder: Path) -> dict[str, float]:
    """What a node gets over all phases among 60 nodes, from the published pattern alone."""
    file = folder / "aapc.toml"
    text = catalog.read(catalog.find("decision", "xibalba"))
    head = text[: text.index("[[workloads]]")]
    file.write_text(f'{head}[[workloads]]\nname = "aapc"\nplan = "aapc"\n')
    _weft("decide", file, "--out", folder / "aapc", "--json")
    found = weft.open_decision(folder / "aapc").decision
    bits = 59 * 400_000 * 8
    return {one.name: bits / one.times[0].time_s.median / 1e6 for one in found.designs}


def _value_order(folder: Path, price_of: str) -> list[str]:
    """The designs by their product of price and time."""
    text = catalog.read(catalog.find("decision", "xibalba"))
    file = folder / f"{price_of}.toml"
    file.write_text(text.replace('price_of = "network"', f'price_of = "{price_of}"'))
    parse_request(file.read_text(), str(file))
    _weft("decide", file, "--out", folder / price_of, "--json")
    found = weft.open_decision(folder / price_of).decision
    return [one.name for one in sorted(found.designs, key=_value)]


def _value(one: DesignResult) -> float:
    assert one.cost is not None
    return one.cost.counted.median * one.index.median


def _time(one: DesignResult, workload: str) -> float:
    return next(each.time_s.median for each in one.times if each.workload == workload)


def _small(folder: Path) -> Path:
    folder.mkdir()
    file = folder / "designs.toml"
    loads = '[[workloads]]\nname = "a"\nplan = "aapc"\n[[workloads]]\nname = "r"\nplan = "ring"\n'
    file.write_text(f'[[designs]]\nname = "clos"\nfabric = "{SMALL}"\n{loads}')
    return file


def _killed(file: Path, out: Path) -> int:
    """Start or go on, stop it with all that it started, look how many chunks are on the disk, and kill it."""
    command = [sys.executable, "-m", "weft", "decide", str(file), "--out", str(out)]
    command += ["--resume", "--executor", "processes:2"]
    before = _bytes(out)
    silent = subprocess.DEVNULL
    with subprocess.Popen(command, stdout=silent, stderr=silent, start_new_session=True) as running:
        while running.poll() is None and _bytes(out) < before + 6000:
            time.sleep(0.02)
        os.killpg(running.pid, signal.SIGSTOP)
        done = len(_done(out))
        os.killpg(running.pid, signal.SIGKILL)
    return done


def _bytes(out: Path) -> int:
    """Of rows on the disk."""
    return sum(file.stat().st_size for file in (out / "rows").glob("*.arrows"))


def _done(out: Path) -> set[int]:
    if not (out / "rows").exists():
        return set()
    every = {chunk.index for chunk in SweepFolder(out).work().chunks}
    return every - {chunk.index for chunk in _missing(out)}


def _missing(out: Path) -> list:  # type: ignore[type-arg]
    folder = SweepFolder(out)
    return folder.missing(folder.work())


def _rows(out: Path) -> list[SweepRow]:
    folder = SweepFolder(out)
    return table_rows(folder, folder.work())


def _bits(out: Path) -> list[tuple[str, ...]]:
    """Rows with their floating-point numbers as bits."""
    return [
        (
            row.task,
            str(row.point),
            row.step,
            str(row.size_bytes),
            row.time_s.hex(),
            row.rate_mbps.hex(),
        )
        for row in _rows(out)
    ]


def _each_design_s(out: Path) -> float:
    """A processor's time for all workloads of a design: the mean over every tenth."""
    chunks = SweepFolder(out).work().chunks[::10]
    start = time.process_time()
    for chunk in chunks:
        run_chunk(chunk)
    return (time.process_time() - start) / len(chunks)


def _weft(*arguments: object) -> None:
    command = [sys.executable, "-m", "weft", *map(str, arguments)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd=ROOT)
