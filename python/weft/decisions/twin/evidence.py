"""What is compared with the simulator: sums of flows that cross the same part of the network at the same time.

Single flows are not compared: TCP shares a limit unevenly for seconds, but the sum is the limit anyway.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.sparse import csr_array

from weft.base.errors import RequestError
from weft.base.statistics import Floats
from weft.decisions.twin.draft import Draft, Mask, TwinElement
from weft.decisions.twin.observed import Flows, ObservedStep
from weft.measure.testbed.computed.network import SimulatedNetwork
from weft.understand.curve.curve import Ints, group_slices

_LEAST_MBPS = 1e-6
LOADED, LEAST_TRIALS = 0.8, 6
"""A part of the network is loaded in trials with at least this share of its maximum; it is judged by at least this many
of them."""


@dataclass(frozen=True)
class Sums:
    """Sums of a series: `of_flows` adds flows up, with a row for each sum; `measured` has a column for each launch."""

    series: ObservedStep
    of_flows: csr_array
    phase: Ints
    measured: Floats

    def predicted(self, network: SimulatedNetwork) -> Floats:
        """The sums that a network predicts."""
        sums: Floats = self.of_flows @ self.series.predicted(network)
        return sums


@dataclass(frozen=True)
class PhaseTrial:
    """One phase in one launch, the unit of resampling. `pattern` is the pattern that it belongs to."""

    pattern: str
    series: int
    phase: int
    launch: int


@dataclass(frozen=True)
class FitMaterial:
    """All measurements as one vector: logarithms of sums, and the trial of each."""

    sums: tuple[Sums, ...]
    trials: tuple[PhaseTrial, ...]
    trial_of: Ints
    logs: Floats
    rows: tuple[Ints, ...]
    """For each series, the positions of its sums in the vector."""

    @cached_property
    def patterns(self) -> list[str]:
        """The measured patterns, in order."""
        return list(dict.fromkeys(trial.pattern for trial in self.trials))

    def predicted(self, network: SimulatedNetwork) -> Floats:
        """Logarithms of the sums that a network predicts; NaN if it lacks the flows."""
        pairs = zip(self.sums, self.rows, strict=True)
        found = [sums.predicted(network)[rows] for sums, rows in pairs]
        logs: Floats = np.log(np.maximum(np.concatenate(found), _LEAST_MBPS))
        return logs

    @property
    def least_message_us(self) -> float:
        """The least time between two messages of a stream, in us."""
        return min(one.series.least_message_us for one in self.sums)

    @cached_property
    def pattern_of(self) -> Ints:
        """The pattern of each row, as an index into `patterns`."""
        numbers = {pattern: at for at, pattern in enumerate(self.patterns)}
        own = np.array([numbers[trial.pattern] for trial in self.trials])
        found: Ints = own[self.trial_of]
        return found

    @cached_property
    def weight(self) -> Floats:
        """By row, its weight: the sums of a trial, which share flows, count as one together."""
        rows = np.bincount(self.trial_of)
        found: Floats = 1.0 / rows[self.trial_of]
        return found

    def shortfall(self, element: TwinElement, network: SimulatedNetwork) -> float:
        """The logarithm by which less crossed an element than a network predicts, in the trials that load it most."""
        said, seen = [], []
        for sums in self.sums:
            flows, predicted = sums.series.flows, sums.series.predicted(network)
            for own in _crossing(element, flows):
                measured = flows.mbps[own].sum(axis=0)
                seen += measured[measured > 0].tolist()
                said += [float(predicted[own].sum())] * int(np.sum(measured > 0))
        loads = np.array(said)
        most = loads >= LOADED * loads.max(initial=0.0)
        if most.sum() < LEAST_TRIALS:
            return 0.0
        return float(np.median(np.log(np.array(seen)[most] / loads[most])))

    def carried(self, element: TwinElement) -> list[float]:
        """What crossed an element in each trial."""
        found = []
        for sums in self.sums:
            flows = sums.series.flows
            for own in _crossing(element, flows):
                found += flows.mbps[own].sum(axis=0).tolist()
        return [one for one in found if one > 0]

    def of_pattern(self, pattern: str) -> Mask:
        """Mask of the rows that belong to trials of a pattern."""
        is_own: Mask = self.pattern_of == self.patterns.index(pattern)
        return is_own


def material_of(series: Sequence[ObservedStep], draft: Draft) -> FitMaterial:
    """The sums that depend on a draft's rates, for flows that the simulator has too."""
    rates = [*draft.rates, *draft.unlimited]
    inner = [one for each in rates for one in _worth_summing(each.elements)]
    network = draft.network([1.0] * len(draft.rates))
    known = [one.known_to(network) for one in series]
    sums = tuple(_sums(one, inner) for one in known if np.isfinite(one.flows.mbps).any())
    if not sums:
        raise RequestError(
            "the runs hold no rates between nodes over TCP: there is nothing to fit",
            "add a run of xray, or of matrix, aapc, ring, ...",
        )
    trials: dict[PhaseTrial, int] = {}
    kept, trial_of, logs = [], [], []
    for number, one in enumerate(sums):
        rows, launches = np.nonzero(one.measured > 0)
        kept.append(rows)
        for row, launch in zip(rows.tolist(), launches.tolist(), strict=True):
            phase = int(one.phase[row])
            trial = PhaseTrial(one.series.patterns[phase], number, phase, launch)
            trial_of.append(trials.setdefault(trial, len(trials)))
        logs.append(np.log(one.measured[rows, launches]))
    return FitMaterial(
        sums,
        tuple(trials),
        np.array(trial_of, dtype=np.int64),
        np.concatenate(logs),
        tuple(kept),
    )


def _crossing(element: TwinElement, flows: Flows) -> Iterator[Ints]:
    """The flows that cross an element, in each phase that has some."""
    crossed = element.crossed_by(flows.src, flows.dst)
    for rows in group_slices(flows.phase):
        if crossed[rows].any():
            yield np.flatnonzero(crossed[rows]) + rows.start


def _worth_summing(elements: Sequence[TwinElement]) -> Iterator[TwinElement]:
    """Elements of several hosts, and of hosts with a parameter of their own."""
    for one in elements:
        if len(one.members) > 1 or len(elements) == 1:
            yield one


def _sums(series: ObservedStep, elements: Sequence[TwinElement]) -> Sums:
    """For each phase, the sum of all flows and the sums of flows across each element."""
    flows = series.flows
    crossed = [one.crossed_by(flows.src, flows.dst) for one in elements]
    masks: list[Ints] = []
    phases = []
    for rows in group_slices(flows.phase):
        own = np.arange(rows.start, rows.stop)
        found = {tuple(own.tolist()): own}
        for each in crossed:
            some = own[each[rows]]
            if len(some):
                found.setdefault(tuple(some.tolist()), some)
        masks += found.values()
        phases += [int(flows.phase[rows.start])] * len(found)
    counts = np.array([len(mask) for mask in masks])
    ends = np.concatenate([[0], np.cumsum(counts)])
    matrix = csr_array(
        (np.ones(ends[-1]), np.concatenate(masks), ends), shape=(len(masks), len(flows.phase))
    )
    return Sums(series, matrix, np.array(phases), matrix @ flows.mbps)
