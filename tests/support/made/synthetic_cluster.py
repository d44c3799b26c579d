"""Runs of a tree-shaped network with given limits: max-min fair rates and noise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from support.plans import a_plan, a_step
from weft.base.statistics import Floats
from weft.network.model.maxmin import fair_rates
from weft.plan.pattern import AllToAll, Cast, ManyNodes, Matrix, Streams
from weft.plan.phases import expand
from weft.plan.plan import CountRule
from weft.plan.plan import Step as PlanStep
from weft.runs.folder import RunFolder, RunWriter
from weft.runs.meta import RunMeta
from weft.runs.samples import SCHEMA

Flow = tuple[int, int]


@dataclass(frozen=True)
class CommonLimit:
    """A limit that nodes share in each direction, for what passes between them and the others."""

    members: tuple[int, ...]
    mbps: float


@dataclass(frozen=True)
class Cluster:
    """Nodes at a line rate behind shared limits, and where it misbehaves."""

    nodes: int
    line_mbps: float = 94.1
    shared: tuple[CommonLimit, ...] = ()
    slow_out: dict[int, float] = field(default_factory=dict)
    slow_in: dict[int, float] = field(default_factory=dict)
    slow_routes: dict[Flow, float] = field(default_factory=dict)
    dead_routes: frozenset[Flow] = frozenset()
    noise: float = 0.01
    names: tuple[str, ...] = ()

    @property
    def node_names(self) -> list[str]:
        return list(self.names) or [f"n{i + 1}" for i in range(self.nodes)]

    def rates(self, flows: Sequence[Flow]) -> Floats:
        """What the flows reach when they run at once, in Mb/s."""
        src, dst = np.array(flows).T
        crossings, capacities = [], []
        for node in range(self.nodes):
            crossings += [src == node, dst == node]
            capacities += [self.slow_out.get(node, self.line_mbps)]
            capacities += [self.slow_in.get(node, self.line_mbps)]
        for limit in self.shared:
            inside, receiving = np.isin(src, limit.members), np.isin(dst, limit.members)
            crossings += [inside & ~receiving, receiving & ~inside]
            capacities += [limit.mbps, limit.mbps]
        for flow, mbps in self.slow_routes.items():
            crossings.append((src == flow[0]) & (dst == flow[1]))
            capacities.append(mbps)
        return fair_rates(np.array(crossings).T, np.array(capacities))


def cards(nodes: int, per_card: int, mbps: float) -> tuple[CommonLimit, ...]:
    """Line cards of so many nodes, in order, each with an uplink."""
    starts = range(0, nodes, per_card)
    return tuple(CommonLimit(tuple(range(at, min(nodes, at + per_card))), mbps) for at in starts)


@dataclass(frozen=True)
class Step:
    """One step of a plan between many nodes, resolved; it expands as a real one does."""

    pattern: ManyNodes
    size_bytes: int = 2**20
    latency_us: float | None = None

    @classmethod
    def alltoall(cls) -> Step:
        return cls(AllToAll(nodes=None, mode="phased"))

    @classmethod
    def matrix(cls) -> Step:
        return cls(Matrix(nodes=None, measure="rate", duplex="full"))

    @classmethod
    def latencies(cls, latency_us: float = 60.0) -> Step:
        return cls(Matrix(nodes=None, measure="latency", duplex=None), 1, latency_us)

    @classmethod
    def streams(cls, senders: Sequence[int], receivers: Sequence[int], each: int = 1) -> Step:
        nodes = tuple(sorted({*senders, *receivers}))
        return cls(Streams(nodes, tuple(senders), tuple(receivers), each, sweep=True))

    @classmethod
    def cast(cls) -> Step:
        return cls(Cast(nodes=None, chunk_bytes=65536, networks=1, sweep=True), 2**24)

    def plan(self) -> PlanStep:
        """The step as run.json holds it."""
        stop = CountRule(repeats=1, trials=3)
        return a_step(self.pattern, sizes=[self.size_bytes], stop=stop)

    def phases(self, nodes: int) -> list[list[Flow]]:
        """Who sends to whom in each phase."""
        return [[one.ends for one in phase.transfers] for phase in expand(self.plan(), nodes)]


def write_cluster_run(
    directory: Path,
    cluster: Cluster,
    steps: Sequence[Step],
    *,
    launches: int = 1,
    trials: int = 3,
    seed: int = 1,
    missing: frozenset[Flow] = frozenset(),
    **meta: Any,
) -> RunFolder:
    """A complete run folder of these steps; routes in `missing` have no samples."""
    writer = RunWriter.create(directory, _meta(directory.name, cluster, steps, launches, **meta))
    random = np.random.default_rng(seed)
    clock_ns = 0
    for launch in range(launches):
        for index, step in enumerate(steps):
            rows, clock_ns = _rows(cluster, index, step, launch, trials, random, clock_ns, missing)
            writer.append(rows)
    return writer.finish("complete")


def _rows(
    cluster: Cluster,
    index: int,
    step: Step,
    launch: int,
    trials: int,
    random: np.random.Generator,
    clock_ns: int,
    missing: frozenset[Flow],
) -> tuple[pa.RecordBatch, int]:
    parts: list[dict[str, Any]] = []
    for phase, flows in enumerate(step.phases(cluster.nodes)):
        elapsed_ns = _elapsed_ns(cluster, step, flows, trials, random)
        parts += [
            {
                "step": index,
                "phase": phase,
                "launch": launch,
                "batch": trial,
                "src": src,
                "dst": dst,
                "size_bytes": step.size_bytes,
                "messages": 0 if (src, dst) in cluster.dead_routes else 1,
                "start_ns": int(clock_ns + elapsed_ns[flow, :trial].sum()),
                "elapsed_ns": int(elapsed_ns[flow, trial]),
            }
            for flow, (src, dst) in enumerate(flows)
            for trial in range(trials)
            if (src, dst) not in missing
        ]
        clock_ns += int(elapsed_ns.sum(axis=1).max()) + 100_000
    return pa.RecordBatch.from_pylist(parts, schema=SCHEMA), clock_ns


def _elapsed_ns(
    cluster: Cluster, step: Step, flows: list[Flow], trials: int, random: np.random.Generator
) -> Floats:
    """By flow and trial; the links of a chain all go at the pace of the slowest."""
    noise = 1 + cluster.noise * np.abs(random.standard_normal((len(flows), trials)))
    if step.latency_us is not None:
        apart = [
            sum((a in s.members) != (b in s.members) for s in cluster.shared) for a, b in flows
        ]
        time_us = 2 * step.latency_us * (1 + 0.25 * np.array(apart))
    else:
        rates = cluster.rates(flows)
        if isinstance(step.pattern, Cast):
            rates = np.full_like(rates, rates.min())
        time_us = step.size_bytes * 8 / rates
    return np.round(time_us[:, np.newaxis] * noise * 1e3)


def _meta(
    name: str, cluster: Cluster, steps: Sequence[Step], launches: int, **meta: Any
) -> RunMeta:
    return RunMeta(
        plan=a_plan(*(step.plan() for step in steps), name="made-up", launches=launches),
        testbed={"kind": "lab", "name": name, "scale": 1.0},
        nodes=[
            {"name": node, "address": f"10.0.0.{i + 1}", "facts": {"kernel": "6.8.0", "cpus": 2}}
            for i, node in enumerate(cluster.node_names)
        ],
        started="2026-11-20T10:00:00Z",
        command=["weft", "run", "made-up", "--on", f"lab:{name}"],
        weft_version="0.1.0",
        **meta,
    )
