"""Is a published 100 Gb/s server reproduced?

A server at 100 Gb/s beside published measurements (catalog/published/host_stack_100g.toml).

usage: bench/run.py server [--fit]
tier: quick

Prints throughput, processor load and cycles by category of the three published configurations beside what weft-node
computes for server-100g. Costs are fitted to two of them, no-opts and all, and to the sender's load of tso-gro; the
rest of tso-gro is predicted. `--fit` finds the costs anew and prints them as catalog/machines/server-100g.toml has
them.

Takes seconds. What the rows do not tell apart is in docs/node-accuracy.md.
"""

from __future__ import annotations

import argparse
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from scipy.optimize import nnls

from common.beside import Beside, print_rows
from common.checkout import ROOT
from common.machine import machine
from common.results import Goal, save
from weft import _core
from weft.base import catalog
from weft.measure.testbed.computed.node import SimulatedNodes
from weft.plan.load import load_plan
from weft.runs.columns.tables import CATEGORIES_NAME, OCCUPATION_NAME
from weft.understand.curve.curve import column

PUBLISHED = ROOT / "catalog" / "published" / "host_stack_100g.toml"
FITTED, PREDICTED = ("no-opts", "all"), ("tso-gro",)
FITTED_LOADS = [("tso-gro", "tx")]
"""The sum of the cycles, no categories: what tells the sender's remote costs of a page from those of a packet."""
SIDES = ("tx", "rx")
"""The first node sends, the second receives."""
CATEGORIES = (
    "data_copy", "tcp_ip", "netdev", "memory", "skb", "scheduling", "lock", "other",
)  # fmt: skip
MESSAGE_BYTES = 128 << 10
CLOCK_HZ = 3.4e9
RATE_BOUND_PCT, SHARE_BOUND_POINTS = 15.0, 5.0
TEXT = catalog.read(catalog.find("machine", "server-100g"))
Overrides = Sequence[tuple[str, str]]

COSTS: Mapping[str, Sequence[str]] = {
    "driver": ("netdev", "skb", "other"),
    "page": ("memory", "netdev", "other"),
    "page_out": ("memory",),
    "merge": ("netdev",),
    "driver_out": ("netdev",),
    "protocol": ("tcp_ip", "netdev", "skb", "memory", "lock", "other"),
    "acknowledgement": ("tcp_ip", "netdev", "skb", "lock"),
    "protocol_out": ("tcp_ip",),
    "copy_in": ("tcp_ip", "lock", "other"),
    "copy_out": ("tcp_ip", "skb", "memory", "lock", "other"),
    "wake_up": ("scheduling",),
    "context_switch": ("scheduling",),
    "system_call": ("other",),
    "remote.frame": ("skb", "other"),
    "remote.segment": ("tcp_ip", "lock", "skb", "other"),
    "remote.acknowledgement": ("tcp_ip", "lock", "skb"),
    "remote.page_out": ("memory", "lock", "other"),
    "remote.copy": ("tcp_ip", "lock", "other"),
}
"""What of each cost may go to which category."""
BYTES = ("copy_in_accesses_per_byte", "copy_accesses_per_byte", "remote.accesses_per_byte")
SOFTIRQ = (
    "driver", "page", "merge", "protocol", "acknowledgement", "protocol_out", "driver_out",
    "remote.frame", "remote.segment",
)  # fmt: skip
"""What the receiver's processor of interrupts does, where the reader is on another."""


@dataclass(frozen=True)
class ComputedRate:
    """One configuration: throughput, each side's processors' load, cycles a byte by category."""

    mbps: float
    busy_pct: Mapping[str, float]
    cycles: Mapping[str, Mapping[str, float]]

    def share_pct(self, side: str, category: str) -> float:
        return 100 * self.cycles[side].get(category, 0.0) / sum(self.cycles[side].values())


def simulate(config: str, overrides: Overrides = ()) -> ComputedRate:
    """A stream of large messages with a configuration and some other keys."""
    nodes = SimulatedNodes(_core.Machine.load(TEXT, "server-100g", config, list(overrides)), {})
    step = load_plan("stream", [("steps[0].sizes", f'["{MESSAGE_BYTES} B"]')]).steps[0]
    outcome = nodes.simulate(step, 0, 1)
    rows = outcome.samples(0, 0, 0)
    each_ns = float((column(rows, "elapsed_ns") / column(rows, "messages"))[0])
    tables = nodes.tables(outcome, 0, 0)
    busy = dict.fromkeys(SIDES, 0.0)
    for row in tables[OCCUPATION_NAME].to_pylist():
        if row["task"] and row["part"].startswith("cpu"):
            busy[SIDES[int(row["node"] == "n2")]] += 100 * row["share"]
    cycles: dict[str, dict[str, float]] = {side: {} for side in SIDES}
    for row in tables[CATEGORIES_NAME].to_pylist():
        side = SIDES[int(row["node"] == "n2")]
        cycles[side][row["category"]] = row["cycles"] / MESSAGE_BYTES
    return ComputedRate(MESSAGE_BYTES * 8 / each_ns * 1e3, busy, cycles)


@cache
def published() -> dict[str, Any]:
    return tomllib.loads(PUBLISHED.read_text())


def throughput(config: str) -> dict[str, float]:
    (row,) = [row for row in published()["throughput"] if row["config"] == config]
    return row


def shares() -> Iterator[tuple[str, str, dict[str, float]]]:
    """Configuration, side, and its shares in per cent, those cut from the profile put to `other`."""
    for row in published()["cycles_share_pct"]:
        found = {name: float(row[name]) for name in CATEGORIES}
        found["other"] += 100 - sum(found.values())
        yield row["config"], row["side"], found


def cycles_per_byte(config: str, side: str) -> float:
    row = throughput(config)
    return row[f"{side}_cpu_pct"] / 100 * CLOCK_HZ / (row["mbps"] * 1e6 / 8)


def values() -> Iterator[Beside]:
    """Throughput and loads, then shares of cycles."""
    found = {config: simulate(config) for config in (*FITTED, *PREDICTED)}
    for config, one in found.items():
        row, note = throughput(config), "fitted" if config in FITTED else ""
        yield Beside("throughput", f"{config}, Mb/s", row["mbps"], one.mbps, note)
        for side in SIDES:
            there, here = row[f"{side}_cpu_pct"], one.busy_pct[side]
            kind = "fitted" if (config, side) in FITTED_LOADS else note
            yield Beside("load", f"{config}, {side} processors, %", there, here, kind)
    for config, side, row in shares():
        note = "fitted" if config in FITTED else ""
        for category, there in row.items():
            here = found[config].share_pct(side, category)
            yield Beside("cycles", f"{config}, {side} {category}, %", there, here, note, True)


def worst(rows: Sequence[Beside], kind: str) -> float:
    """Of what nothing was fitted to."""
    return max(abs(one.off) for one in rows if one.kind == kind and not one.note)


def errors() -> list[Goal]:
    """Print everything; the worst of what was predicted, beside its bounds."""
    rows = print_rows(values())
    rate, load, share = (worst(rows, kind) for kind in ("throughput", "load", "cycles"))
    return [
        Goal("throughput of tso-gro is off by", rate, "%", RATE_BOUND_PCT),
        Goal("worst share of cycles of tso-gro", share, "points", SHARE_BOUND_POINTS),
        Goal("rx processors of tso-gro are off by", load, "%", RATE_BOUND_PCT),
    ]


@dataclass(frozen=True)
class Unknown:
    """Cycles of a cost that go to a category, or cycles of a copied byte."""

    cost: str
    category: str


UNKNOWNS = [
    *(Unknown(cost, category) for cost, names in COSTS.items() for category in names),
    *(Unknown(name, "data_copy") for name in BYTES),
]
FIXED = {Unknown("page", "netdev"): 100.0}
"""Assumed, since two rows cannot tell it from the rest: to map and synchronise a page for DMA."""
RIDGE = 1e-3
"""What the rows leave open is kept small and shared evenly: the least squares of the costs, by this much."""
INTERRUPT_CYCLES = tomllib.loads(TEXT)["costs"]["interrupt"]["netdev"]
ROUNDS, STEP = 60, 0.25
"""Costs change how often things happen, so that each round goes a quarter of the way; the best of them counts."""


def counts(config: str, costs: Mapping[Unknown, float]) -> dict[str, dict[str, float]]:
    """By side and cost: how often a byte, with these costs; those of bytes as they are; interrupts: `held`."""
    overrides = [("costs.interrupt", f"{{ held = {INTERRUPT_CYCLES} }}")]
    totals = {cost: total(cost, costs) for cost in COSTS}
    for cost, cycles in totals.items():
        overrides.append((f"costs.{cost}", f"{{ {cost.replace('.', '_')} = {cycles} }}"))
    overrides += bytes_overrides(costs)
    found = simulate(config, overrides).cycles
    by_cost = {
        side: {cost: found[side][cost.replace(".", "_")] / totals[cost] for cost in COSTS}
        | {"held": found[side]["held"]}
        for side in SIDES
    }
    is_remote = config != "all"
    by_cost["tx"] |= {BYTES[0]: 0.0, BYTES[1]: 1.0, BYTES[2]: 0.0}
    by_cost["rx"] |= {BYTES[0]: 1.0, BYTES[1]: 0.0, BYTES[2]: float(is_remote)}
    return by_cost


def total(cost: str, costs: Mapping[Unknown, float]) -> float:
    """At least a cycle, so that what costs nothing is counted too."""
    found = sum(costs[one] for one in UNKNOWNS if one.cost == cost)
    return max(1.0, float(round(found)))


def bytes_overrides(costs: Mapping[Unknown, float]) -> list[tuple[str, str]]:
    per_access = access_cycles()
    return [
        (f"costs.{name}", f"{costs[Unknown(name, 'data_copy')] / per_access:.5f}") for name in BYTES
    ]


def access_cycles() -> float:
    """Of one access of a copy: its own cycle, and what it waits for."""
    memory = tomllib.loads(TEXT)["memory"]
    hit, miss = (float(memory[key].removesuffix(" ns")) for key in ("hit", "miss"))
    rate = memory["hit_rate"]
    return 1 + (rate * hit + (1 - rate) * miss) * CLOCK_HZ / 1e9


def fit() -> None:
    """Least squares of the cycles by category, and of what the processor of interrupts does, in parts of all cycles."""
    costs = dict.fromkeys(UNKNOWNS, 100.0) | {one: 0.3 for one in UNKNOWNS if one.cost in BYTES}
    tried = []
    for _ in range(ROUNDS):
        per_byte = {config: counts(config, costs) for config in (*FITTED, *PREDICTED)}
        rows, wanted = equations(per_byte)
        left = rows @ [costs[one] for one in UNKNOWNS] - wanted
        tried.append((float(left @ left), costs))
        better = solve(rows, wanted)
        costs = {one: (1 - STEP) * costs[one] + STEP * better[one] for one in UNKNOWNS}
    _, costs = min(tried, key=lambda one: one[0])
    print_costs(costs)


def solve(rows: np.ndarray[Any, Any], wanted: np.ndarray[Any, Any]) -> dict[Unknown, float]:
    """The costs that come nearest, if everything happened as often as it did."""
    typical = np.array([0.3 if one.cost in BYTES else 500.0 for one in UNKNOWNS])
    for one, cycles in FIXED.items():
        wanted = wanted - rows[:, UNKNOWNS.index(one)] * cycles
        rows[:, UNKNOWNS.index(one)] = 0.0
    matrix = np.vstack([rows * typical, RIDGE * np.eye(len(UNKNOWNS))])
    solution, _ = nnls(matrix, np.concatenate([wanted, np.zeros(len(UNKNOWNS))]))
    return dict(zip(UNKNOWNS, (solution * typical).tolist(), strict=True)) | FIXED


def equations(
    per_byte: Mapping[str, Mapping[str, Mapping[str, float]]],
) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Each a part of the cycles of its configuration and side."""
    rows, wanted = [], []

    def add(config: str, side: str, cycles: float, counts: Callable[[Unknown], bool]) -> None:
        whole, often = cycles_per_byte(config, side), per_byte[config][side]
        mine = [often[one.cost] if counts(one) else 0.0 for one in UNKNOWNS]
        rows.append(np.array(mine) / whole)
        wanted.append(cycles / whole)

    for config, side, row in shares():
        if config not in FITTED:
            continue
        whole, held = cycles_per_byte(config, side), per_byte[config][side]["held"]
        for category, share in row.items():
            left = share / 100 * whole - (held if category == "netdev" else 0.0)
            add(config, side, left, lambda one, category=category: one.category == category)
    softirq = cycles_per_byte("no-opts", "rx") * 100 / throughput("no-opts")["rx_cpu_pct"]
    add("no-opts", "rx", softirq, lambda one: one.cost in SOFTIRQ)
    for config, side in FITTED_LOADS:
        left = cycles_per_byte(config, side) - per_byte[config][side]["held"]
        add(config, side, left, lambda one: True)
    return np.array(rows), np.array(wanted)


def print_costs(costs: Mapping[Unknown, float]) -> None:
    for cost, categories in COSTS.items():
        parts = {name: round(costs[Unknown(cost, name)]) for name in categories}
        text = ", ".join(f"{name} = {cycles}" for name, cycles in parts.items() if cycles)
        print(f"{cost} = {{ {text or f'{categories[0]} = 0'} }}")
    for name, value in bytes_overrides(costs):
        print(f"{name.removeprefix('costs.')} = {value}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--fit", action="store_true", help="fit the parameters again")
    if parser.parse_args().fit:
        fit()
        return
    print(machine())
    save("server", errors())


if __name__ == "__main__":
    main()
