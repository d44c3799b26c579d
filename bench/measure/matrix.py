"""Does weft's matrix agree with mpiGraph's?

weft beside the method of LLNL's mpiGraph over Open MPI: the rates of all ordered pairs, and how long they took.

usage: bench/run.py matrix [--times N] [fat-tree-16] [two-racks]     (both when none is named)
tier: peers

In mpiGraph all nodes send at once, around a ring of distances: each node sends to the one d places on and receives from
the one d places back. `alltoall` is the same pattern; `matrix` (full duplex) lets all send at once, too, but in
pairs that exchange. Where nothing inside the network is a limit, all three must agree; where the nodes share one, a
rate is that of a phase, and only the same phases give the same. The peer runs twice: how far it is from itself is
what no tool can be asked to beat.

Takes about 4 minutes.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from common.checkout import PEER_SOURCES
from common.ensembles import are_of_machine, machine_was_limit, measured, span_s
from common.machine import machine
from common.peers import openmpi
from common.results import Goal, save
from weft.measure.testbed.open import open_testbed
from weft.runs.folder import RunFolder
from weft.understand.ensemble.rates import MedianRates

Matrix = dict[tuple[int, int], float]
"""Mb/s of payload from the first node to the second."""

SOURCE = PEER_SOURCES / "mpigraph_method.c"
MESSAGE_BYTES, WINDOW, DEFAULT_TIMES = 16 << 10, 50, 100
"""mpiGraph's defaults."""
TARGET_PCT = 5.0
PLAN = """
name = "{pattern}"
launches = 1
[[steps]]
name = "{pattern}"
pattern = "{pattern}"
{duplex}
sizes = ["1 KiB"]
stop = {{ rule = "time", trial = "{trial}", trials = 1 }}
"""
DUPLEX = {"matrix": 'duplex = "full"', "alltoall": 'mode = "phased"'}


@dataclass(frozen=True)
class Lab:
    """A lab at 10 Mb/s a host, and what is measured there: a trial long enough for its slowest pairs."""

    fabric: str
    scale: float
    plans: tuple[str, ...]
    trial: str


LABS = {
    "fat-tree-16": Lab("lab:fat-tree-16", 0.1, ("matrix", "alltoall"), "400 ms"),
    "two-racks": Lab("lab:two-racks", 0.01, ("alltoall", "matrix"), "1 s"),
}


@dataclass(frozen=True)
class Measured:
    """Rates, the seconds the measuring took, and those of the whole command."""

    rates: Matrix
    measuring_s: float
    command_s: float
    is_doubtful: bool
    """The lab was late or busy meanwhile."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--times", type=int, default=2, help="mpiGraph's repetitions (its default: 100)"
    )
    parser.add_argument("labs", nargs="*", help=", ".join(LABS))
    arguments = parser.parse_args()
    print(machine())
    reason = openmpi.missing()
    print(
        f"peer:    {openmpi.version()}" if reason is None else f"peer left out: {reason}",
        flush=True,
    )
    for name in arguments.labs or LABS:
        goals = compare(LABS[name], 0 if reason else arguments.times)
        save("matrix", goals, name, {} if reason else {"Open MPI": openmpi.version().split()[-1]})


def compare(lab: Lab, times: int) -> list[Goal]:
    """Print weft's rates beside the peer's; without the peer (0 times) weft's alone."""
    goals: list[Goal] = []
    print(f"\nall ordered pairs, {lab.fabric} at scale {lab.scale:g}", flush=True)
    peer = peer_matrix(lab, times) if times else None
    if peer:
        all_times_s = peer.measuring_s * DEFAULT_TIMES / times
        print(row(f"mpiGraph's method, {times} times", peer))
        print(f"    {all_times_s:.0f} s at its default of {DEFAULT_TIMES} times")
        again = peer_matrix(lab, times)
        print(row("the same again", again))
        print(f"    {comparison(again, peer)}", flush=True)
    for plan in lab.plans:
        ours = weft_matrix(lab, plan)
        print(row(f"weft {plan}, {lab.trial} trials", ours))
        if peer:
            print(f"    {comparison(ours, peer)}; {verdict(ours, peer)}", flush=True)
            away_pct = middle_pct(ours, peer)
            share = ours.command_s / peer.command_s
            goals += [
                Goal(f"{lab.fabric}, {plan}: median pair is off by", away_pct, "%", TARGET_PCT),
                Goal(f"{lab.fabric}, {plan}: time / mpiGraph's method", share, at_most=1),
            ]
    return goals


def peer_matrix(lab: Lab, times: int) -> Measured:
    with open_testbed(lab.fabric, lab.scale) as testbed, tempfile.TemporaryDirectory() as folder:
        program = openmpi.compiled(SOURCE, Path(folder))
        command = [str(program), str(MESSAGE_BYTES), str(times), str(WINDOW)]
        begin = time.perf_counter()
        text = openmpi.run_on_all(testbed, command, Path(folder))
        command_s = time.perf_counter() - begin
        for warning in testbed.warnings:
            print(f"  warning {warning.code}: {warning.message}", flush=True)
        is_doubtful = are_of_machine(testbed.warnings)
    seconds = next(line.split()[1] for line in text.splitlines() if line.startswith("seconds "))
    return Measured(openmpi.rates_mbps(text, "receive"), float(seconds), command_s, is_doubtful)


def weft_matrix(lab: Lab, plan: str) -> Measured:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / f"{plan}.toml"
        file.write_text(PLAN.format(pattern=plan, duplex=DUPLEX[plan], trial=lab.trial))
        begin = time.perf_counter()
        with measured(str(file), lab.fabric, lab.scale) as run:
            command_s = time.perf_counter() - begin
            return Measured(rates_of(run), span_s(run.samples), command_s, machine_was_limit(run))


def rates_of(run: RunFolder) -> Matrix:
    found = MedianRates.of(run)
    ends = zip(found.src.tolist(), found.dst.tolist(), strict=True)
    return dict(zip(ends, found.mbps.tolist(), strict=True))


def row(name: str, found: Measured) -> str:
    rates = sorted(found.rates.values())
    return (
        f"  {name:28s} {statistics.median(rates):6.3f} Mb/s [{rates[0]:.3f} .. {rates[-1]:.3f}], "
        f"{len(rates)} pairs in {found.measuring_s:.1f} s, whole command {found.command_s:.1f} s"
    )


def comparison(found: Measured, peer: Measured) -> str:
    """How far apart two matrices are."""
    ratios = sorted(ratios_of(found, peer))
    away_pct = sorted(100 * abs(ratio - 1) for ratio in ratios)
    return (
        f"ratio {statistics.median(ratios):.3f} (median) [{ratios[0]:.3f} .. {ratios[-1]:.3f}]; apart "
        f"{statistics.median(away_pct):.1f} % (median), {away_pct[len(away_pct) * 9 // 10]:.1f} % (nine in ten), "
        f"{away_pct[-1]:.1f} % (worst)"
    )


def verdict(ours: Measured, peer: Measured) -> str:
    """Whether the median pair is near enough, in less time."""
    share = ours.command_s / peer.command_s
    met = "met" if middle_pct(ours, peer) < TARGET_PCT and share < 1 else "MISSED"
    doubt = ", but a lab was late or busy"
    return (
        f"{share:.2f} of the peer's time; target {TARGET_PCT:g} % (median) in less time: {met}"
        f"{doubt if ours.is_doubtful or peer.is_doubtful else ''}"
    )


def middle_pct(ours: Measured, peer: Measured) -> float:
    """How far the median pair is from the peer's."""
    return statistics.median(100 * abs(ratio - 1) for ratio in ratios_of(ours, peer))


def ratios_of(found: Measured, peer: Measured) -> list[float]:
    """The ratio of the rates of each ordered pair."""
    if found.rates.keys() != peer.rates.keys():
        raise RuntimeError(f"not the same pairs: {len(found.rates)} and {len(peer.rates)}")
    return [found.rates[ends] / peer.rates[ends] for ends in peer.rates]


if __name__ == "__main__":
    main()
