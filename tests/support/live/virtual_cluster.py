"""A cluster that exists only as arithmetic: what max-min sharing, serialisation and noise would let agents measure."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np
import pyarrow as pa
from msgspec.structs import replace

from weft import _core
from weft.base import catalog
from weft.measure.testbed.computed.outcome import SimulatedPhases
from weft.network.model.maxmin import fair_rates
from weft.plan.load import load_plan
from weft.plan.phases import Phase, Transfer, expand
from weft.plan.plan import CountRule, Plan, StopRule, to_json
from weft.runs.experiment import chosen_record
from weft.runs.folder import RunFolder, RunWriter
from weft.runs.meta import RunMeta
from weft.runs.samples import SCHEMA
from weft.understand.limits.declared import DeclaredNetwork
from weft.understand.xray.search import LimitSearch

PING_WIRE_BITS = 1490 * 8


@dataclass
class VirtualCluster:
    """Carries out phases on a declared network; `spread` is the relative noise of a flow's rate.

    `efficiency` is what all rates reach of what the network lets them have, `busy` the share that other
    work on the machine takes at most from a phase, more from some and less from others. A phase that is
    measured again gives the same samples. Flows through two full limits stand still for the first `stall_s`:
    what one lets through in bursts the other cannot always pass on.
    """

    network: DeclaredNetwork
    spread: float = 0.03
    wake_us: float = 15.0
    seed: int = 0
    slow_pairs: dict[tuple[int, int], float] = field(default_factory=dict)
    efficiency: float = 1.0
    busy: float = 0.0
    stall_s: float = 0.0

    def __post_init__(self) -> None:
        self._rng = np.random.default_rng(self.seed)

    def rates_mbps(self, flows: list[tuple[int, int]], trial_s: float = 1.0) -> np.ndarray:
        """What each of some concurrent flows gets in a trial."""
        crossed = self.network.crossings(flows)
        capacities = np.array([limit.capacity_mbps for limit in self.network.limits])
        for pair, mbps in self.slow_pairs.items():
            crossed = np.column_stack([crossed, [flow == pair for flow in flows]])
            capacities = np.append(capacities, mbps)
        efficiency = self.efficiency * (1 - self.busy * float(self._rng.random()))
        rates = fair_rates(crossed, capacities) * efficiency
        noise = self._rng.lognormal(0, self.spread, len(flows))
        loads = crossed.T @ rates
        # What one flow loses another gets: a full limit carries the same in sum. One alone just loses.
        for j in np.flatnonzero(loads > 0.999 * capacities * efficiency):
            through = crossed[:, j]
            if through.sum() > 1:
                noise[through] *= loads[j] / (rates * noise)[through].sum()
            else:
                noise[through] = np.minimum(noise[through], 1.0)
        is_full = loads > 0.999 * capacities * efficiency
        noise[crossed[:, is_full].sum(axis=1) > 1] *= 1 - min(self.stall_s / trial_s, 1.0)
        return rates * noise

    def round_trip_us(self, a: int, b: int) -> float:
        """One round trip of a full frame, with the time to wake two threads."""
        return self._wire_us[a, b] + float(self._rng.exponential(self.wake_us, 2).sum()) + 60

    @cached_property
    def _wire_us(self) -> np.ndarray:
        """How long a full frame is on the wire there and back, by pair."""
        count = len(self.network.hosts)
        found = np.zeros((count, count))
        for limit in self.network.limits:
            crossed = limit.crossed_by(*np.indices((count, count)))
            found += PING_WIRE_BITS / limit.capacity_mbps * (crossed * 1.0 + crossed.T)
        return found

    def measure(self, step: int, phase: Phase, stop: StopRule) -> pa.Table:
        """The samples of one phase of a step."""
        self._rng = np.random.default_rng([self.seed, step, phase.index])
        flows = [one.ends for one in phase.transfers]
        size = phase.size_bytes
        rows = []
        if isinstance(stop, CountRule):
            for src, dst in flows:
                for batch in range(stop.repeats):
                    rows.append((batch, src, dst, 1, self.round_trip_us(src, dst) * 1e3))
        else:
            trial_ns = stop.trial_ns
            for (src, dst), mbps in zip(flows, self.rates_mbps(flows, trial_ns / 1e9), strict=True):
                rows.append((0, src, dst, round(mbps / 8e3 * trial_ns / size), trial_ns))
        columns = {
            "step": [step] * len(rows),
            "phase": [phase.index] * len(rows),
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


@dataclass
class FrameCluster(VirtualCluster):
    """One whose streams the simulator carries out frame by frame, as TCP Reno in the queues of a lab.

    `text` is the fabric, `window_bytes` the most that a connection has on its way; noise of the machine comes on top.
    """

    text: str = field(kw_only=True)
    window_bytes: int | None = None
    scale: float = 0.1

    def __post_init__(self) -> None:
        super().__post_init__()
        self._model = _core.Network.declared(self.text, "the test's fabric", self.scale)
        self._step = load_plan("xray").steps[-1]

    def rates_mbps(self, flows: list[tuple[int, int]], trial_s: float = 1.0) -> np.ndarray:
        """What each of some concurrent flows gets in a trial."""
        transfers = tuple(Transfer(src, dst, 1024) for src, dst in flows)
        stop = replace(self._step.stop, trial_ns=round(trial_s * 1e9))
        phase = Phase(0, 1024, "stream", transfers, stop=stop)
        model = {"sharing": "reno", "threads": 1, "window_bytes": self.window_bytes}
        chosen = to_json(self._step), to_json([phase])
        answer = self._model.simulate_chosen(*chosen, set(), False, **model)
        rows = SimulatedPhases.of(answer).samples(0, 0, 0).to_pydict()
        found = zip(rows["src"], rows["dst"], rows["messages"], rows["elapsed_ns"], strict=True)
        mbps = {(src, dst): 1024 * count * 8e3 / ns for src, dst, count, ns in found}
        noise = self._rng.lognormal(0, self.spread, len(flows))
        return np.array([mbps[flow] for flow in flows]) * noise


def frame_cluster(text: str, window_bytes: int) -> FrameCluster:
    """The cluster that a fabric's TOML text describes, frame by frame."""
    return FrameCluster(network_of(text), text=text, window_bytes=window_bytes)


def survey_samples(cluster: VirtualCluster, plan: Plan) -> list[pa.Table]:
    """The samples of a plan's steps that are not chosen during the run."""
    tables = []
    for index, step in enumerate(plan.steps):
        if step.pattern.kind == "xray":
            continue
        for phase in expand(step, len(cluster.network.hosts)):
            tables.append(cluster.measure(index, phase, step.stop))
    return tables


def new_meta(cluster: VirtualCluster, plan: Plan) -> RunMeta:
    """The run.json of a run on the cluster."""
    return RunMeta(
        plan=plan,
        testbed={"kind": "virtual", "name": "arithmetic"},
        nodes=[{"name": name} for name in cluster.network.hosts],
    )


@dataclass(frozen=True)
class Simulation:
    """A run of the plan xray on a cluster, as far as it got; `tables` are the samples of its phases."""

    search: LimitSearch
    meta: RunMeta
    tables: list[pa.Table]

    @property
    def samples(self) -> pa.Table:
        return pa.concat_tables(self.tables)

    @property
    def searched(self) -> int:
        """How many phases the search has chosen."""
        return len(self.meta.phases)

    def first(self, phases: int) -> Simulation:
        """What there was when the search had run so many phases."""
        surveyed = len(self.tables) - self.searched
        meta = RunMeta(self.meta.plan, self.meta.testbed, self.meta.nodes)
        meta.phases = self.meta.phases[:phases]
        return Simulation(self.search, meta, self.tables[: surveyed + phases])

    def write(self, folder: Path) -> RunFolder:
        """The run folder."""
        writer = RunWriter.create(folder, self.meta)
        for batch in self.samples.combine_chunks().to_batches():
            writer.append(batch)
        return writer.finish("complete")


def simulate(
    cluster: VirtualCluster, begun: Simulation | None = None, phase_s: float = 0.0
) -> Simulation:
    """Run the plan xray, or go on with what was begun; each phase of the search takes so long."""
    plan = load_plan("xray")
    meta = begun.meta if begun else new_meta(cluster, plan)
    tables = begun.tables if begun else survey_samples(cluster, plan)
    step_index = len(plan.steps) - 1
    found = Simulation(LimitSearch(meta, step_index), meta, tables)
    lost: set[int] = set()
    while specs := found.search.next_phases(found.samples, lost, phase_s * found.searched):
        for spec in specs:
            number = found.searched
            work = Phase(number, spec.size_bytes, "stream", spec.transfers, stop=spec.stop)
            meta.phases.append(chosen_record(step_index, 0, work, spec.experiments))
            tables.append(cluster.measure(step_index, work, spec.stop))
    return found


def network_of(text: str, scale: float = 0.1) -> DeclaredNetwork:
    """The network that a fabric's TOML text describes."""
    return DeclaredNetwork(json.loads(_core.load_fabric(text, "the test's fabric", scale)))


def catalogue_network(name: str, scale: float = 0.1) -> DeclaredNetwork:
    """A network of the catalogue."""
    return network_of(catalog.read(catalog.find("fabric", name)), scale)


def star(hosts: int, extra: str = "") -> str:
    """A fabric of hosts at 100 Mb/s around one switch that limits nothing."""
    return f"""
name = "star"
[[hosts]]
ids = "n[1-{hosts}]"
attach = "hub"
link = {{ rate = "100 Mb/s", delay = "5 us" }}
[[switches]]
ids = "hub"
{extra}
"""
