"""Is a published study of offloading reproduced?

The simulator inside a node beside the published study of offloading (catalog/published/nic_offload.toml).

usage: bench/run.py inside [--fit] [--speed]
tier: quick

Prints each published value that weft-node can be held against, its prediction and the error, then the published orders
and trends. `--fit` finds the free parameters of catalog/machines/p4-400.toml anew, with intervals, from the six values
marked so; then again for other values of what was held, and prints what each makes of the values that were not fitted.
`--speed` only times the NetPIPE sweep that took the study's simulator hours.

Takes seconds. What does not hold, and why, is in docs/node-accuracy.md.
"""

from __future__ import annotations

import argparse
import tempfile
import time
import tomllib
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from itertools import pairwise
from pathlib import Path
from types import MappingProxyType
from typing import Any

import weft
from common.beside import Beside, median_off, print_rows
from common.checkout import ROOT
from common.machine import machine
from common.results import Goal, KnownMiss, save
from simulate.laws import Peak, read_peaks, read_published
from weft.base import catalog
from weft.measure.testbed.computed.node import open_nodes
from weft.measure.testbed.computed.outcome import SimulatedPhases
from weft.plan.load import load_plan
from weft.runs.columns.tables import OCCUPATION_NAME
from weft.simulation.calibrate.fit import MachineFit, fit_machine, interval_text, read_free
from weft.simulation.calibrate.simulated import MachineFile, Quantity, SimulatedQuantity
from weft.simulation.calibrate.values import MeasuredValue, ValuesFile
from weft.understand.curve.curve import column

EXPECTED = {
    "published orders that hold, of 15": KnownMiss(
        "docs/node-accuracy.md has what does not hold, and why", 9
    )
}
PUBLISHED = ROOT / "catalog" / "published" / "nic_offload.toml"
PLACEMENTS = ("base", "offload", "onload", "hybrid")
LARGEST_BYTES, LOADED_BYTES = 2 << 20, 256 << 10
SIMILAR = 0.2
"""By how much what the study calls similar may differ: as much as a value may in benches of other studies."""
WIRE = 9038 / 8948
"""Bytes on the wire for each of a full segment."""
SWEEP_LIMIT_S, EVENTS_GOAL = 1.0, 10.0
"""Of the speed: the whole NetPIPE sweep; million events a second."""
Keys = Mapping[str, str]
NOTHING: Keys = MappingProxyType({})

FREE = {
    "costs.protocol": ("10", "5000"),
    "costs.softirq": ("1", "5000"),
    "costs.refill": ("1", "5000"),
    "costs.protocol_accesses_per_byte": ("0.001", "2"),
    "costs.copy_accesses_per_byte": ("0.2", "2"),
}
"""The free parameters: least and most."""
HELD = {
    "nic.miss": ("227.5 ns", "250 ns", "270 ns", "290 ns"),
    "memory.bridge_share": ("0.1", "0.15", "0.2", "0.3"),
}
"""What the machine's file holds (first), and what else it might."""
FITTED = {
    "lat_base_us": ("base", "latency"),
    "lat_offload_us": ("offload", "latency"),
    "lat_onload_us": ("onload", "latency"),
    "bw_base_table_mbps": ("base", "rate"),
    "bw_offload_table_mbps": ("offload", "rate"),
    "bw_onload_table_mbps": ("onload", "rate"),
}
KINDS = {"lat": "latency", "bw_": "throughput", "cpu": "load", "irq": "interrupts"}
"""By how ids begin."""
IDEAL = {
    "memory.hit": "0 ns",
    "memory.miss": "0 ns",
    "memory.collision": "0 ns",
    "nic.hit": "0 ns",
    "nic.miss": "0 ns",
    "io_bus.rate": "10 Tb/s",
    "io_bus.access": "0 ns",
}
NO_GATHERING = {"nic.mtu_bytes": "1500", "nic.coalesce_frames": "1"}


def measure(placement: str, keys: Keys, pattern: str, size_bytes: int) -> SimulatedPhases:
    values = "".join(f",{key}={value}" for key, value in keys.items())
    sizes = [("steps[0].sizes", f'["{size_bytes} B"]')]
    step = load_plan({"pingpong": "latency"}.get(pattern, pattern), sizes).steps[0]
    return open_nodes(f"p4-400(placement={placement}{values})").simulate(step, 0, 1, True)


def latency_us(placement: str, keys: Keys = NOTHING) -> float:
    """One way of one byte."""
    rows = measure(placement, keys, "pingpong", 1).samples(0, 0, 0)
    return float((column(rows, "elapsed_ns") / column(rows, "messages"))[0] / 2e3)


def rate_mbps(placement: str, keys: Keys = NOTHING, size_bytes: int = LARGEST_BYTES) -> float:
    """NetPIPE's: the size over half of the round trip."""
    rows = measure(placement, keys, "pingpong", size_bytes).samples(0, 0, 0)
    each_ns = float((column(rows, "elapsed_ns") / column(rows, "messages"))[0])
    return size_bytes * 8 / (each_ns / 2) * 1e3


def receiver_rows(placement: str, keys: Keys, size_bytes: int = 1 << 16) -> list[dict[str, Any]]:
    """What the receiver's cpu0 does of a stream, by task."""
    outcome = measure(placement, keys, "stream", size_bytes)
    rows = BASE.tables(outcome, 0, 0)[OCCUPATION_NAME].to_pylist()
    return [row for row in rows if row["node"] == "n2" and row["part"] == "cpu0"]


@cache
def occupation(placement: str, gathers: bool = True, size_bytes: int = 1 << 16) -> dict[str, Any]:
    """Of the receiver of a stream: cpu0's busy share and its interrupts per second."""
    mine = receiver_rows(placement, {} if gathers else NO_GATHERING, size_bytes)
    return {
        "busy_pct": 100 * sum(row["share"] for row in mine),
        "interrupts_per_s": sum(row["interrupts_per_s"] for row in mine),
    }


BASE = open_nodes("p4-400-base")


def interrupts(placement: str, gathers: bool = True) -> float:
    return float(occupation(placement, gathers)["interrupts_per_s"])


def gain_ratio(peak: Peak, keys: Keys = NOTHING) -> float:
    """Throughput after over before at a peak's gamma, with a link of which the host alone fills the peak's share."""
    host_mbps = loaded_mbps("base", {**keys, "link.rate": "10 Gb/s"}, 0.0)
    link = {"link.rate": f"{host_mbps * WIRE / peak.sigma:.3f} Mb/s"}
    after, before = (loaded_mbps(at, {**keys, **link}, peak.gamma) for at in (peak.scheme, "base"))
    return after / before


def loaded_mbps(placement: str, keys: Keys, gamma: float) -> float:
    """Of the study's messages, each of which its load thread waits for."""
    settings = [("steps[0].gamma", f"[{gamma}]"), ("steps[0].compute", '"message"')]
    values = "".join(f",{key}={value}" for key, value in keys.items())
    step = load_plan("gamma-sweep", settings).steps[0]
    rows = open_nodes(f"p4-400(placement={placement}{values})").simulate(step, 0, 1)
    samples = rows.samples(0, 0, 0)
    each_ns = float((column(samples, "elapsed_ns") / column(samples, "messages"))[0])
    return LOADED_BYTES * 8e3 / each_ns


def predictions() -> dict[str, Callable[[], float]]:
    """By published id."""
    kinds = {"latency": latency_us, "rate": rate_mbps}
    fitted = {key: (lambda of=kinds[kind], at=at: of(at)) for key, (at, kind) in FITTED.items()}
    memory = {
        f"lat_offload_mem{cycles}_us": lambda cycles=cycles: latency_us("offload", mean(cycles))
        for cycles in (1, 4)
    }
    return (
        fitted
        | memory
        | {
            "cpu_base_pct": lambda: float(occupation("base")["busy_pct"]),
            "cpu_offload_pct": lambda: float(occupation("offload")["busy_pct"]),
            "irq_drop_tcp_pct": lambda: (
                100 * (1 - interrupts("offload", False) / interrupts("base", False))
            ),
        }
    )


CLOCK_MHZ = 400
"""Of the interface's processor."""


def mean(cycles: float) -> Keys:
    """A mean access time in cycles, as the study's column has it: 1 cycle for hits, 91 for misses."""
    return {"memory.hit_rate": f"{1 - (cycles - 1) / 90:.9f}"}


def slower(speed: float) -> Keys:
    """The interface's processor at a part of its speed. The study counts stalls in a processor's own cycles."""
    memory = tomllib.loads(catalog.read(catalog.find("machine", "p4-400")))["memory"]
    stalls = {key: stall_ns(memory[key]) / speed for key in ("hit", "miss")}
    spans = {f"nic.{key}": f"{value:.3f} ns" for key, value in stalls.items()}
    return {"processors.nic.clock": f"{CLOCK_MHZ * speed:g} MHz"} | spans


def stall_ns(text: str) -> float:
    """At the interface's full speed, of a time or of cycles."""
    number, unit = text.split()
    return float(number) * (1 if unit == "ns" else 1e3 / CLOCK_MHZ)


def orders() -> Iterator[tuple[str, bool, str]]:
    """Published orders and trends: which, whether it holds, and the values."""
    lat = {at: latency_us(at) for at in PLACEMENTS}
    rate = {at: rate_mbps(at) for at in PLACEMENTS}
    busy = {at: float(occupation(at)["busy_pct"]) for at in PLACEMENTS}
    calls = {at: interrupts(at) for at in PLACEMENTS}
    slow = [rate_mbps("offload", slower(speed)) for speed in (1.0, 0.75, 0.5, 0.25)]
    memory = [rate_mbps("offload", mean(cycles)) for cycles in (1, 4, 7, 10)]
    ideal = {at: rate_mbps(at, IDEAL) for at in PLACEMENTS}
    yield "lat_order_nocache", lat["offload"] < lat["onload"] < lat["base"], shown(lat)
    yield "bw_order_nocache", rate["onload"] >= rate["offload"] > rate["base"], shown(rate)
    best = min(lat["offload"], lat["onload"])
    yield "hyb_lat_order", best <= lat["hybrid"] <= 1.15 * best, shown(lat)
    is_first = rate["hybrid"] > rate["onload"] > rate["offload"] > rate["base"]
    yield "hyb_bw_order", is_first, shown(rate)
    is_near = abs(calls["offload"] / calls["base"] - 1) <= SIMILAR
    yield "irq_offload_equals_base", is_near, shown(calls)
    is_less = max(busy["onload"], busy["hybrid"]) < busy["offload"] < busy["base"]
    yield "cpu_order", is_less, shown(busy)
    few = max(calls["onload"], calls["hybrid"])
    yield "irq_order", few < min(calls["offload"], calls["base"]) / 2, shown(calls)
    falls = slow[0] > slow[1] > slow[2] > slow[3]
    yield "bw_alpha_trend", falls and slow[3] < rate["base"], numbers(slow)
    is_falling = all(a > b for a, b in pairwise(memory))
    yield "bw_latency_trend", is_falling and memory[-1] > rate["base"], numbers(memory)
    yield "bw_ideal_equals_link", ideal["offload"] > 900, shown(ideal)
    yield "bw_ideal_all_equal", max(ideal.values()) < 1.02 * min(ideal.values()), shown(ideal)
    yield from orders_of_sizes(rate)


def orders_of_sizes(rate: Mapping[str, float]) -> Iterator[tuple[str, bool, str]]:
    """The same of what depends on the size of messages, or the load."""
    apart = {f"{kib} KiB": widest(kib << 10) for kib in (1, 4, 16, 31)}
    yield "bw_same_below_kb", max(apart.values()) <= 1 + SIMILAR, shown(apart, 2)
    point = {at: saturation_bytes(at) / 1024 for at in PLACEMENTS}
    yield "sat_offload_larger", point["offload"] > point["base"], shown(point, 2)
    calls = {
        at: [occupation(at, size_bytes=kib << 10)["interrupts_per_s"] for kib in (1, 16, 1024)]
        for at in ("base", "offload")
    }
    falls = all(one[0] > 1.05 * one[1] > 1.05 * one[2] for one in calls.values())
    yield "irq_vs_size", falls, "; ".join(f"{at} {numbers(one)}" for at, one in calls.items())
    slow = {"link.rate": f"{rate['base'] / 2:.3f} Mb/s"}
    idle = {at: loaded_mbps(at, slow, 0.0) for at in PLACEMENTS[:3]}
    yield "low_load_small_gain", max(idle.values()) < 1.02 * idle["base"], shown(idle)


def widest(size_bytes: int) -> float:
    """The fastest placement's rate over the slowest's."""
    rates = [rate_mbps(at, size_bytes=size_bytes) for at in PLACEMENTS]
    return max(rates) / min(rates)


def saturation_bytes(placement: str) -> float:
    """weft's own saturation point, as `weft show` gives it of a signature."""
    with tempfile.TemporaryDirectory() as folder:
        run = weft.run("signature", f"node:p4-400-{placement}", out=Path(folder, "run"))
        found = run.signature
    assert found and found.saturation_bytes
    return found.saturation_bytes.median


def shown(values: Mapping[str, float], digits: int = 1) -> str:
    return ", ".join(f"{name} {value:.{digits}f}" for name, value in values.items())


def numbers(values: list[float]) -> str:
    return ", ".join(f"{value:.0f}" for value in values)


def published() -> dict[str, dict[str, Any]]:
    results = tomllib.loads(PUBLISHED.read_text())["result"]
    return {result["id"]: result for result in results}


def values() -> Iterator[Beside]:
    """Each published value that weft-node can be held against, beside what it gives."""
    results = published()
    for key, predict in predictions().items():
        note = "fitted" if key in FITTED else results[key].get("bound", "")
        yield Beside(KINDS[key[:3]], key, float(results[key]["value"]), predict(), note)
    for peak in read_peaks(read_published()):
        name = f"{peak.scheme} / base, sigma {peak.sigma:g}, gamma {peak.gamma}"
        yield Beside("gain", name, 1 + peak.gain_pct / 100, gain_ratio(peak))


def print_orders(found: Iterator[tuple[str, bool, str]]) -> list[Goal]:
    all_hold = []
    for key, holds, values in found:
        print(f"{key:30}{'holds' if holds else 'DOES NOT HOLD':15}{values}")
        all_hold.append(holds)
    count = len(all_hold)
    return [Goal(f"published orders that hold, of {count}", sum(all_hold), at_least=count)]


def fitted(held: Keys, with_intervals: bool = False) -> MachineFit:
    """The free parameters by least squares of the relative errors, as `weft machine fit` finds them."""
    file = MachineFile(catalog.read(catalog.find("machine", "p4-400")), "p4-400")
    values = list(fitted_values(held))
    return fit_machine(file, read_free(file, ValuesFile(FREE, values)), values, with_intervals)


def fitted_values(held: Keys) -> Iterator[MeasuredValue]:
    results = published()
    kinds: dict[str, tuple[Quantity, str, float]] = {
        "latency": ("latency", "1 B", 1e-6),
        "rate": ("rate", f"{LARGEST_BYTES} B", 1e6),
    }
    for key, (placement, kind) in FITTED.items():
        quantity, size, unit = kinds[kind]
        question = SimulatedQuantity(quantity, size, placement, held)
        yield MeasuredValue(key, question, float(results[key]["value"]) * unit, 0.05)


def fit() -> None:
    """With intervals at what the machine's file holds; and what other values would do to what was not fitted."""
    machine_fit = fitted(NOTHING, with_intervals=True)
    for free, found in zip(machine_fit.free, machine_fit.estimates, strict=True):
        print(f"{free.key} = {free.text(found.value)}: {interval_text(free, found)}")
    for one, other, r in machine_fit.trade_offs:
        print(f"told only together: {one}, {other} (correlation {r:+.3f})", flush=True)
    for key, values in HELD.items():
        for value in values:
            found = fitted({key: value})
            keys = found.keys
            print(f"{key} = {value}:", ", ".join(f"{name} {one}" for name, one in keys.items()))
            print("  left, %:", ", ".join(f"{one.error_pct:+.1f}" for one in found.values))
            print("  " + "; ".join(trade_off({**keys, key: value})), flush=True)


def trade_off(keys: Keys) -> Iterator[str]:
    peaks = list(read_peaks(read_published()))
    off = [100 * (gain_ratio(one, keys) / (1 + one.gain_pct / 100) - 1) for one in peaks]
    yield "gains off by " + ", ".join(f"{one:+.1f}" for one in off) + " %"
    tasks = {row["task"]: row["share"] for row in receiver_rows("base", keys)}
    yield f"copies {tasks['copy'] / tasks['protocol']:.1f} times protocol (Table 4.4: 2.8)"
    busy = sum(row["share"] for row in receiver_rows("offload", keys))
    yield f"offload's cpu0 {100 * busy:.0f} % (published 50)"
    rates = {at: rate_mbps(at, keys) for at in PLACEMENTS}
    yield shown(rates)


def time_sweep() -> Iterator[Goal]:
    """NetPIPE's sizes from 1 B to 2 MiB, ping-pong and stream, on one processor."""
    limits = [("steps[0].sizes.max", "2 MiB")]
    for plan in ("netpipe", "stream"):
        total_s, events = 0.0, 0
        step = load_plan(plan, limits).steps[0]
        for placement in PLACEMENTS:
            nodes = open_nodes(f"p4-400-{placement}")
            began = time.perf_counter()
            outcome = nodes.simulate(step, 0, nodes.phase_count(step))
            total_s += time.perf_counter() - began
            events += outcome.events
        rate = events / total_s / 1e6
        print(f"{plan}, four placements: {total_s:.2f} s, {events:,} events, {rate:.1f} million/s")
        limit_s = SWEEP_LIMIT_S if plan == "netpipe" else None
        yield Goal(f"{plan} from 1 B to 2 MiB, four placements", total_s, "s", at_most=limit_s)
        yield Goal(f"events of {plan}", rate, "million/s", at_least=EVENTS_GOAL)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--fit", action="store_true", help="fit the parameters again")
    parser.add_argument("--speed", action="store_true", help="only how long it takes")
    chosen = parser.parse_args()
    if chosen.fit:
        fit()
        return
    print(machine())
    if not chosen.speed:
        median_pct = median_off(print_rows(values()))
        goal = Goal("median error of what was not fitted", median_pct, "%", at_most=10)
        print(f"median error of what was not fitted: {median_pct:.1f} %\n")
        save("inside", [goal, *print_orders(orders())], expected=EXPECTED)
    save("inside", list(time_sweep()), "speed")


if __name__ == "__main__":
    main()
