"""A cluster that exists only as arithmetic: what max-min sharing, serialisation and noise would let agents measure."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa

from weft.diagnose.declared import DeclaredNetwork
from weft.model.maxmin import fair_rates
from weft.plan.phases import expand
from weft.run.meta import RunMeta
from weft.run.samples import SCHEMA

PING_WIRE_BITS = 1490 * 8


@dataclass
class VirtualCluster:
    """Carries out phases on a declared network; `spread` is the relative noise of a flow's rate."""

    network: DeclaredNetwork
    spread: float = 0.03
    wake_us: float = 15.0
    seed: int = 0
    slow_pairs: dict[tuple[int, int], float] = field(default_factory=dict)
    efficiency: float = 1.0

    def __post_init__(self) -> None:
        self._rng = np.random.default_rng(self.seed)

    def rates_mbps(self, flows: list[tuple[int, int]]) -> np.ndarray:
        """What each of some concurrent flows gets."""
        crossed = self.network.crossings(flows)
        capacities = np.array([limit.capacity_mbps for limit in self.network.limits])
        for pair, mbps in self.slow_pairs.items():
            crossed = np.column_stack([crossed, [flow == pair for flow in flows]])
            capacities = np.append(capacities, mbps)
        rates = fair_rates(crossed, capacities) * self.efficiency
        noise = self._rng.lognormal(0, self.spread, len(flows))
        loads = crossed.T @ rates
        # What one flow loses another gets: a full limit carries the same in sum.
        for j in np.flatnonzero(loads > 0.999 * capacities * self.efficiency):
            through = crossed[:, j]
            noise[through] *= loads[j] / (rates * noise)[through].sum()
        return rates * noise

    def round_trip_us(self, a: int, b: int) -> float:
        """One round trip of a full frame, with the time to wake two threads."""
        crossed = self.network.crossings([(a, b), (b, a)]).sum(axis=0)
        slowness = [1 / limit.capacity_mbps for limit in self.network.limits]
        wire_us = PING_WIRE_BITS * float(crossed @ np.array(slowness))
        return wire_us + float(self._rng.exponential(self.wake_us, 2).sum()) + 60

    def measure(self, step_index: int, step: dict[str, Any], phase: dict[str, Any]) -> pa.Table:
        """The samples of one phase."""
        flows = [(t["src"], t["dst"]) for t in phase["transfers"]]
        size = phase["size_bytes"]
        rows = []
        if phase.get("work") == "pingpong":
            for src, dst in flows:
                for batch in range(step["stop"]["repeats"]):
                    rows.append((batch, src, dst, 1, self.round_trip_us(src, dst) * 1e3))
        else:
            trial_ns = step["stop"]["trial_ns"]
            for (src, dst), mbps in zip(flows, self.rates_mbps(flows), strict=True):
                rows.append((0, src, dst, round(mbps / 8e3 * trial_ns / size), trial_ns))
        columns = {
            "step": [step_index] * len(rows),
            "phase": [phase["index"]] * len(rows),
            "launch": [0] * len(rows),
            "batch": [row[0] for row in rows],
            "src": [row[1] for row in rows],
            "dst": [row[2] for row in rows],
            "size_bytes": [size] * len(rows),
            "messages": [row[3] for row in rows],
            "start_ns": [0] * len(rows),
            "elapsed_ns": [int(row[4]) for row in rows],
        }
        return pa.table(columns, schema=SCHEMA)


def survey_samples(cluster: VirtualCluster, plan: dict[str, Any]) -> list[pa.Table]:
    """The samples of a plan's steps that are not chosen during the run."""
    tables = []
    for index, step in enumerate(plan["steps"]):
        if step["pattern"]["kind"] == "xray":
            continue
        for phase in expand(step, len(cluster.network.hosts)):
            tables.append(cluster.measure(index, step, phase))
    return tables


def new_meta(cluster: VirtualCluster, plan: dict[str, Any]) -> RunMeta:
    """The run.json of a run on the cluster."""
    return RunMeta(
        plan=plan,
        testbed={"kind": "virtual", "name": "arithmetic"},
        nodes=[{"name": name} for name in cluster.network.hosts],
    )
