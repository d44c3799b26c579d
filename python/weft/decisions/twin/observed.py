"""Measurements between many nodes, flow by flow, in a form in which a simulator can be compared."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from weft.base.frames import FULL
from weft.base.statistics import Floats
from weft.measure.testbed.computed.network import SimulatedNetwork
from weft.plan.phases import Phase, expand
from weft.plan.plan import CountRule, Step
from weft.runs.experiment import experiments_of
from weft.runs.folder import RunFolder
from weft.simulation.prediction.placed import placed
from weft.understand.curve.curve import Ints, column, group_starts

CARRIERS = ("tcp", "mpi")
_PAIRS = ("pingpong", "stream")
"""Patterns treated as TCP streams; there is no twin for MPI over other networks."""


@dataclass(frozen=True)
class Flows:
    """The rate of each flow of some phases, in the order of phase, source and destination."""

    phase: Ints
    src: Ints
    dst: Ints
    mbps: Floats

    @property
    def code(self) -> Ints:
        """One number for phase and ends, ascending."""
        code: Ints = (self.phase << 32) | (self.src << 16) | self.dst
        return code


@dataclass(frozen=True)
class ObservedStep:
    """A step of a run, with nodes as indices of the twin. `flows.mbps` has a column for each launch, NaN if it did not
    measure the flow. `chosen` are the phases of a search. `patterns` gives the pattern of each phase. A transfer took
    `seconds` (median)."""

    step: Step
    chosen: tuple[Phase, ...]
    flows: Flows
    patterns: dict[int, str]
    seconds: float

    @property
    def is_counted(self) -> bool:
        """Whether a phase lasts until all have sent a number of messages, so that its last flow shows what it
        carried."""
        return isinstance(self.step.stop, CountRule)

    @property
    def least_message_us(self) -> float:
        """The least time between two messages of a stream in us: no host needs longer for one."""
        if self.chosen and self.chosen[0].work == "pingpong":
            return float("inf")
        return float(self.step.first_bytes * 8 / np.nanmax(self.flows.mbps))

    def known_to(self, network: SimulatedNetwork) -> ObservedStep:
        """The step without flows that a simulator lacks, whatever the network's rates."""
        unknown = np.isnan(self.predicted(network))
        mbps = np.where(unknown[:, np.newaxis], np.nan, self.flows.mbps)
        return replace(self, flows=replace(self.flows, mbps=mbps))

    def predicted(self, network: SimulatedNetwork) -> Floats:
        """The predicted rate of each flow, NaN if the simulator lacks it."""
        if self.chosen:
            outcome = network.simulate_chosen(self.step, list(self.chosen))
        else:
            outcome = network.simulate(self.step, 0, network.phase_count(self.step))
        found = _flows(pa.Table.from_batches([outcome.samples(0, 0, 0)]))
        if not len(found.code):
            return np.full(len(self.flows.code), np.nan)
        at = np.searchsorted(found.code, self.flows.code)
        at = np.minimum(at, len(found.code) - 1)
        is_there = found.code[at] == self.flows.code
        return np.where(is_there, found.mbps[at], np.nan)


def series_of(run: RunFolder, places: Sequence[int]) -> Iterator[ObservedStep]:
    """The steps of a run that measured rates over TCP or MPI; `places` are its nodes in the twin."""
    for index, step in enumerate(run.meta.plan.steps):
        rows = _complete(run, index)
        if step.transport not in CARRIERS or not rows.num_rows:
            continue
        if step.is_ensemble and not step.measures_latency:
            yield _of_many(run, index, rows, places)
        elif step.pattern.kind in _PAIRS and step.pattern.has_curve:
            yield from _of_pair(run, index, rows, places)


def _complete(run: RunFolder, step: int) -> pa.Table:
    """The rows of a step in phases in which all took part; in others flows had fewer competitors."""
    rows = run.samples.filter(pc.field("step") == step)
    for one in run.meta.incomplete:
        if one["step"] == step:
            is_it = (pc.field("phase") == one["phase"]) & (pc.field("launch") == one["launch"])
            rows = rows.filter(~is_it)
    return rows


def _of_many(run: RunFolder, index: int, rows: pa.Table, places: Sequence[int]) -> ObservedStep:
    step = run.meta.plan.steps[index]
    flows = _by_launch(rows, np.asarray(places))
    records = [one for one in run.meta.phases if one["step"] == index]
    kinds = {one["phase"]: {each.kind for each in experiments_of(one)} for one in records}
    chosen = [
        msgspec.convert({"index": one["phase"], "work": "stream", **one}, Phase) for one in records
    ]
    patterns = {
        phase: f"{step.name}: {' and '.join(sorted(kinds[phase]))}"
        if phase in kinds
        else f"{run.meta.plan.name}: {step.name}"
        for phase in np.unique(flows.phase).tolist()
    }
    moved = tuple(_placed_phase(one, places) for one in chosen)
    return ObservedStep(placed(step, places), moved, flows, patterns, _seconds(rows))


LARGE_BYTES = 64 << 10


def _of_pair(
    run: RunFolder, index: int, rows: pa.Table, places: Sequence[int]
) -> Iterator[ObservedStep]:
    """A curve over sizes, as phases of one transfer each; messages that fit into a frame do not show rates."""
    step = run.meta.plan.steps[index]
    phases = [one for one in expand(step, 2) if one.size_bytes > FULL.payload_bytes]
    rows = rows.filter(pc.is_in(rows["phase"], pa.array([one.index for one in phases], pa.int32())))
    if not rows.num_rows:
        return
    stop = CountRule(1, 1) if step.measures_latency else step.stop
    chosen = [
        msgspec.structs.replace(_placed_phase(one, places), arrangement=None, stop=stop)
        for one in phases
    ]
    patterns = {
        one.index: f"{run.meta.plan.name}: {step.name} "
        f"{'beyond' if one.size_bytes > LARGE_BYTES else 'up to'} 64 KiB"
        for one in phases
    }
    flows = _by_launch(rows, np.asarray(places))
    step = msgspec.structs.replace(step, until_ns=None)
    yield ObservedStep(step, tuple(chosen), flows, patterns, _seconds(rows))


def _seconds(rows: pa.Table) -> float:
    return float(np.median(column(rows, "elapsed_ns"))) / 1e9


def _placed_phase(phase: Phase, places: Sequence[int]) -> Phase:
    moved = tuple(
        msgspec.structs.replace(one, src=places[one.src], dst=places[one.dst])
        for one in phase.transfers
    )
    return msgspec.structs.replace(phase, transfers=moved)


def _by_launch(rows: pa.Table, places: Ints) -> Flows:
    """All flows of all launches, with a column of rates for each launch."""
    launches = np.unique(column(rows, "launch"))
    found = [_flows(rows.filter(pc.field("launch") == int(one)), places) for one in launches]
    code = np.unique(np.concatenate([one.code for one in found]))
    mbps = np.full((len(code), len(found)), np.nan)
    for at, one in enumerate(found):
        mbps[np.searchsorted(code, one.code), at] = one.mbps
    return Flows(code >> 32, (code >> 16) & 0xFFFF, code & 0xFFFF, mbps)


def _flows(rows: pa.Table, places: Ints | None = None) -> Flows:
    """Rates of transfers; the median for a transfer with several rows."""
    phase, src, dst = (column(rows, name) for name in ("phase", "src", "dst"))
    if places is not None:
        src, dst = places[src], places[dst]
    moved = column(rows, "size_bytes") * column(rows, "messages") * 8e3
    mbps = moved / np.maximum(column(rows, "elapsed_ns"), 1)
    order = np.lexsort((mbps, dst, src, phase))
    phase, src, dst = phase[order], src[order], dst[order]
    starts = group_starts(phase, src, dst)
    counts = np.diff(np.append(starts, len(phase)))
    phase, src, dst = (key[starts].astype(np.int64) for key in (phase, src, dst))
    return Flows(phase, src, dst, mbps[order][starts + (counts - 1) // 2])
