"""Is weft as fast as NPtcp, sockperf, qperf and iperf3?

weft beside NPtcp, sockperf, qperf and iperf3 on `lab:pair`: alternating runs, medians and ratios.

usage: bench/run.py pair [--runs N] [latency] [throughput] [signature] [agent]     (all four when none is named)
tier: peers

Takes about 15 minutes. NPtcp prints the best of its trials, weft the median (in the ping-pong peak also the
best). sockperf's smallest message has 14 bytes. The ping-pong peak is at the largest message that still fits
the kernel's socket buffers, which grow by chance; therefore the ratio size by size is printed as well.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from typing import TypeVar

from common.machine import machine
from common.peers import tools as peers
from common.peers.tools import Pair
from common.results import Goal, KnownMiss, save
from weft.base import binaries
from weft.measure.execute.options.run_options import RunOptions
from weft.measure.execute.request import RunRequest, start_run
from weft.measure.testbed.open import open_testbed
from weft.understand.curve.curve import Reduction
from weft.understand.curve.points import CurvePoint, points

PLACEMENTS = {"same core": (0, 0), "different cores": (0, 1)}
LATENCY_SIZES = (1, 64, 1024)
SMALLEST_BYTES, LARGEST_BYTES = 32 << 10, 1 << 20
Figure = TypeVar("Figure")
Rates = dict[int, float]
"""Mb/s by message size in bytes."""

BY_CHANCE = KnownMiss(
    "the peak is where a message still fits the kernel's buffers, which grow by chance"
)
MEASURES = ("latency", "throughput", "signature", "agent")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])  # type: ignore[union-attr]
    parser.add_argument("--runs", type=int, default=7, help="alternating runs of each tool")
    parser.add_argument("measures", nargs="*", help=", ".join(MEASURES))
    arguments = parser.parse_args()
    describe_machine()
    with open_testbed("lab:pair") as testbed:
        for measure in arguments.measures or MEASURES:
            goals = [
                goal
                for placement, cpus in PLACEMENTS.items()
                for goal in BENCHES[measure](Pair(testbed, cpus), placement, arguments.runs)
            ]
            save("pair", goals, measure, peer_versions())


def describe_machine() -> None:
    print(machine())
    print("peers:   " + "; ".join(map(" ".join, peer_versions().items())))


def peer_versions() -> dict[str, str]:
    present = [tool for tool in ("NPtcp", "sockperf", "qperf", "iperf3") if shutil.which(tool)]
    return {tool: peers.version(tool) for tool in present}


def bench_latency(pair: Pair, placement: str, runs: int) -> Iterator[Goal]:
    for size in LATENCY_SIZES:
        tools: dict[str, Callable[[], float]] = {
            f"weft, {wait}": lambda wait=wait, size=size: weft_latency(pair, size, wait)  # type: ignore[misc]
            for wait in waits(placement)
        }
        if shutil.which("NPtcp"):
            tools["NPtcp"] = lambda size=size: peers.netpipe_latency(pair, size)  # type: ignore[misc]
        if shutil.which("sockperf"):
            tools["sockperf"] = lambda size=size: peers.sockperf_latency(pair, size)  # type: ignore[misc]
            if "spin" in waits(placement):
                tools["sockperf, spin"] = lambda size=size: peers.sockperf_latency(  # type: ignore[misc]
                    pair, size, "--nonblocked"
                )
        if shutil.which("qperf"):
            tools["qperf"] = lambda size=size: peers.qperf_latency(pair, size)  # type: ignore[misc]
        title = f"half round trip of {size} B, us, {placement}"
        for name, ratio in print_table(title, alternate(tools, runs), min).items():
            what = f"half round trip of {size} B, {placement}, {name} / best peer"
            yield Goal(what, ratio, at_most=1.0)


def bench_throughput(pair: Pair, placement: str, runs: int) -> Iterator[Goal]:
    pingpong: dict[str, Callable[[], Rates]] = {
        f"weft, {wait}": lambda wait=wait: weft_pingpong_rates(pair, wait)  # type: ignore[misc]
        for wait in waits(placement)
    }
    if shutil.which("NPtcp"):
        pingpong["NPtcp"] = lambda: netpipe_rates(pair)
    rates = alternate(pingpong, runs)
    peaks = {name: [max(one.values()) for one in found] for name, found in rates.items()}
    for name, ratio in print_table(f"ping-pong peak, Mb/s, {placement}", peaks, max).items():
        what = f"ping-pong peak, {placement}, {name} / NPtcp"
        yield Goal(what, ratio, at_least=1.0, expected=BY_CHANCE)
    for name, ratio in print_size_ratios(rates).items():
        yield Goal(f"ping-pong rate size by size, {placement}, {name} / NPtcp", ratio)
    stream: dict[str, Callable[[], float]] = {
        f"weft, {wait}": lambda wait=wait: weft_stream_peak(pair, wait)  # type: ignore[misc]
        for wait in waits(placement)
    }
    if shutil.which("iperf3"):
        stream["iperf3"] = lambda: peers.iperf3_stream(pair)
    if shutil.which("qperf"):
        stream["qperf"] = lambda: peers.qperf_stream(pair)
    streams = alternate(stream, runs)
    for name, ratio in print_table(f"stream peak, Mb/s, {placement}", streams, max).items():
        yield Goal(f"stream peak, {placement}, {name} / best peer", ratio, at_least=1.0)


def bench_signature(pair: Pair, placement: str, _: int) -> Iterator[Goal]:
    """Whole commands: the default signature, which ends by itself, against NPtcp's single launch."""
    if placement != "different cores":
        return
    print("\nwhole signature, 1 B to 8 MiB, s")
    ours = timed(lambda: run_weft("signature", pair.cpus, []))
    print(f"  weft, by itself       {ours:8.1f}")
    if shutil.which("NPtcp"):
        theirs = timed(lambda: peers.netpipe_rows(pair, ["-u", str(8 << 20)]))
        print(f"  NPtcp, single launch  {theirs:8.1f}   weft / NPtcp {ours / theirs:.2f}")
        what = "time of a whole signature, which ends by itself / a single launch of NPtcp"
        yield Goal(what, ours / theirs, at_most=1.0)


def bench_agent(pair: Pair, placement: str, runs: int) -> Iterator[Goal]:
    """Size of the agent and the time from its start to its first frame."""
    if placement != "same core":
        return
    probe = binaries.find("weft-probe")
    times = []
    for _ in range(3 * runs):
        start = time.perf_counter()
        process = subprocess.Popen([str(probe)], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert process.stdin is not None and process.stdout is not None
        process.stdout.read(5)
        times.append(1e3 * (time.perf_counter() - start))
        process.stdin.close()
        process.stdout.close()
        process.wait()
    size_mb, ready_ms = probe.stat().st_size / 1e6, statistics.median(times)
    print(f"\nagent: {size_mb:.1f} MB, start to ready {ready_ms:.1f} ms (median)")
    yield Goal("size of the agent", size_mb, "MB", at_most=5)
    yield Goal("agent, start to ready", ready_ms, "ms", at_most=10)


BENCHES = {
    "latency": bench_latency,
    "throughput": bench_throughput,
    "signature": bench_signature,
    "agent": bench_agent,
}


def waits(placement: str) -> tuple[str, ...]:
    """Two ends on one core cannot spin: each would wait for the other to sleep."""
    return ("block",) if placement == "same core" else ("block", "spin")


def weft_latency(pair: Pair, size_bytes: int, wait: str) -> float:
    overrides = [
        ("steps.pingpong.sizes", f'["{size_bytes} B"]'),
        ("steps.pingpong.options.wait", wait),
    ]
    overrides += [("launches", "1"), ("steps.pingpong.stop.trial", "100 ms")]
    (point,) = run_weft("latency", pair.cpus, overrides)
    assert point.latency_us is not None
    return point.latency_us.median


def weft_pingpong_rates(pair: Pair, wait: str) -> Rates:
    """NPtcp's sizes, repetitions and choice of the best trial."""
    overrides = [
        ("steps.pingpong.sizes.min", f"{SMALLEST_BYTES} B"),
        ("steps.pingpong.sizes.max", f"{LARGEST_BYTES} B"),
        ("steps.pingpong.sizes.perturbation", "0 B"),
        ("steps.pingpong.options.wait", wait),
    ]
    found = run_weft("netpipe", pair.cpus, overrides, "best")
    return {point.size_bytes: point.throughput_mbps.median for point in found}


def netpipe_rates(pair: Pair) -> Rates:
    sizes = ["-l", str(SMALLEST_BYTES), "-u", str(LARGEST_BYTES), "-p", "0"]
    return {size: size * 8 / seconds / 1e6 for size, seconds in peers.netpipe_rows(pair, sizes)}


def weft_stream_peak(pair: Pair, wait: str) -> float:
    overrides = [
        ("steps.stream.sizes.min", f"{SMALLEST_BYTES} B"),
        ("steps.stream.sizes.max", f"{LARGEST_BYTES} B"),
        ("steps.stream.options", f'{{ wait = "{wait}" }}'),
        ("launches", "1"),
    ]
    return max(point.throughput_mbps.median for point in run_weft("stream", pair.cpus, overrides))


def run_weft(
    plan: str,
    cpus: tuple[int, int],
    overrides: list[tuple[str, str]],
    reduction: Reduction | None = None,
) -> list[CurvePoint]:
    with tempfile.TemporaryDirectory() as folder:
        request = RunRequest(
            plan, "lab:pair", RunOptions(out=f"{folder}/run", settings=dict(overrides), cpus=cpus)
        )
        run = start_run(request)
        assert run.meta.status == "complete", run.meta.warnings
        return points(run, reduction)


def alternate(tools: dict[str, Callable[[], Figure]], runs: int) -> dict[str, list[Figure]]:
    """One run of each tool after the other, so that the machine's drift meets all alike."""
    figures: dict[str, list[Figure]] = {name: [] for name in tools}
    for _ in range(runs):
        for name, measure in tools.items():
            figures[name].append(measure())
    return figures


def print_size_ratios(rates: dict[str, list[Rates]]) -> dict[str, float]:
    """weft over NPtcp at each size, since the peak depends on when a socket buffer fills; the medians."""
    medians = {}
    for name in rates if "NPtcp" in rates else ():
        if name == "NPtcp":
            continue
        ratios = [
            median_at(rates[name], size) / median_at(rates["NPtcp"], size)
            for size in rates[name][0]
        ]
        print(
            f"  {name}, size by size: weft / NPtcp {statistics.median(ratios):.3f} (median of "
            f"{len(ratios)} sizes) [{min(ratios):.2f} .. {max(ratios):.2f}]"
        )
        medians[name] = statistics.median(ratios)
    return medians


def median_at(rates: list[Rates], size_bytes: int) -> float:
    return statistics.median(one[size_bytes] for one in rates)


def timed(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def print_table(
    title: str, figures: dict[str, list[float]], best: Callable[[list[float]], float]
) -> dict[str, float]:
    """A row a tool; gives weft's ratios to the best peer, which also sleeps where weft does."""
    ratios = {}
    medians = {name: statistics.median(values) for name, values in figures.items()}
    peer_names = [name for name in medians if not name.startswith("weft")]
    print(f"\n{title}   (n = {len(next(iter(figures.values())))})")
    for name, values in figures.items():
        rivals = [medians[peer] for peer in peer_names if "spin" in name or "spin" not in peer]
        ratio = ""
        if name.startswith("weft") and rivals:
            ratios[name] = medians[name] / best(rivals)
            ratio = f"   weft / best peer {ratios[name]:.3f}"
        print(
            f"  {name:18s} {medians[name]:10.2f}   [{min(values):.2f} .. {max(values):.2f}]{ratio}"
        )
    sys.stdout.flush()
    return ratios


if __name__ == "__main__":
    main()
