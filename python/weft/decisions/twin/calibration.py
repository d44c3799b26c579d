"""The numbers of a draft that fit the measurements."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from weft.base.statistics import Floats
from weft.decisions.twin.draft import Draft, Mask
from weft.decisions.twin.evidence import FitMaterial, material_of
from weft.decisions.twin.fit import STEPS, FitProblem, TwinFit, fit
from weft.decisions.twin.observed import ObservedStep
from weft.decisions.twin.start import start_of
from weft.decisions.twin.start_up import StartUp, Trips, start_up_of
from weft.decisions.twin.structure import Structure
from weft.decisions.twin.twin import HostAssumption
from weft.measure.testbed.computed.network import SimulatedNetwork
from weft.network.fabrics.spec import Value

SEGMENTS = (2, 20)
"""Segments per acknowledgement that are tried: Linux' default, and that of receivers that merge segments."""
AGAIN = 4
"""Steps from the best fit to the fit without a pattern."""
ELSEWHERE = 3
CLEARLY = 20.0
"""Least difference of log-likelihoods for an assumption other than the first."""
SHORT = 0.04
"""If throughput falls short by this much (as a logarithm), a limit is suspected."""
FILLED = 0.5
"""A part of the network was filled in a trial if the sum of flows follows its rate with this elasticity."""
SEED = 1


@dataclass(frozen=True)
class Calibration:
    """A draft with its start-up, the material to which it was fitted, and the fit: logarithms of its rates."""

    structure: Structure
    draft: Draft
    material: FitMaterial
    model: Mapping[str, Value]
    start_up: StartUp | None
    fit: TwinFit
    trials_filling: tuple[int, ...]

    @property
    def network(self) -> SimulatedNetwork:
        """The network at the best estimate."""
        return self.draft.network(np.exp(self.fit.values), self.model)

    @property
    def is_filled(self) -> list[bool]:
        """By rate, whether any trial filled it."""
        return [count > 0 for count in self.trials_filling]

    def without(self, pattern: str) -> SimulatedNetwork:
        """The network fitted to all other patterns."""
        seen = ~self.material.of_pattern(pattern)
        found = _fit(self.draft, self.material, self.model, self.fit.values, seen, AGAIN)
        return self.draft.network(np.exp(found.values), self.model)

    def shown_only_by(self, pattern: str) -> frozenset[int]:
        """The trials of a pattern that fill what hardly any other pattern fills. Without them it would be unknown, so
        leaving them out does not show how well it is known."""
        own = self.material.of_pattern(pattern)
        found: set[int] = set()
        for follows in (np.abs(self.fit.jacobian) > FILLED).T:
            others = np.unique(self.material.trial_of[follows & ~own])
            if len(others) < ELSEWHERE:
                found |= set(self.material.trial_of[follows & own].tolist())
        return frozenset(found)

    def drawn(self, draws: int) -> Floats:
        """Rates that fit as well, one row for each draw: trials are resampled within each pattern, and so is each
        pattern's common error."""
        rng = np.random.default_rng(SEED)
        patterns = np.array([trial.pattern for trial in self.material.trials])
        free = np.array(self.is_filled)
        found = []
        for _ in range(draws):
            counts = np.zeros(len(patterns))
            for pattern in self.material.patterns:
                own = np.flatnonzero(patterns == pattern)
                np.add.at(counts, rng.choice(own, len(own)), 1.0)
            off = rng.standard_normal(len(self.material.patterns))
            values = self.fit.redrawn(counts[self.material.trial_of], off)
            found.append(np.exp(np.where(free, values, self.fit.values)))
        return np.array(found)


def calibrate(
    structure: Structure, series: Sequence[ObservedStep], trips: Trips, draws: int, may_merge: bool
) -> tuple[Calibration, list[HostAssumption]]:
    """Fit rates, then the start-up that remains at these rates, under the assumption that fits best if hosts
    `may_merge` segments."""
    draft = structure.draft.with_delays_us([0.0] * len(structure.draft.delays))
    material = material_of(series, draft)
    segments = SEGMENTS if may_merge else SEGMENTS[:1]
    models = [{"segments_per_ack": one, "overhead_s": 0.0} for one in segments]
    usual = _with_suspects(_calibrated(structure, draft, material, models[0]))
    tried = [usual, *(_calibrated(structure, usual.draft, material, one) for one in models[1:])]
    best = min(tried, key=lambda one: one.fit.cost)
    if best.fit.cost > usual.fit.cost - CLEARLY:
        best = usual
    alternatives = [
        HostAssumption("segments_per_ack", str(one.model["segments_per_ack"]), one.fit.cost)
        for one in tried
    ]
    return _with_start_up(best, trips, draws), alternatives


def _with_suspects(found: Calibration) -> Calibration:
    """Add limits on links whose throughput falls short of what everything else allows, if that makes the data clearly
    likelier: a search ends when its limits explain nearly everything."""
    suspects = [
        one
        for one in found.draft.unlimited
        if found.material.shortfall(one.elements[0], found.network) < -SHORT
    ]
    if not suspects:
        return found
    draft = found.draft.limited_at(suspects)
    again = _calibrated(found.structure, draft, found.material, found.model)
    is_likelier = again.fit.cost < found.fit.cost - CLEARLY * len(suspects)
    return again if is_likelier else found


def _calibrated(
    structure: Structure, draft: Draft, material: FitMaterial, model: Mapping[str, Value]
) -> Calibration:
    everything = np.ones(len(material.logs), dtype=bool)
    found = _fit(draft, material, model, start_of(draft, material), everything)
    filling = tuple(_filling(found, material))
    return Calibration(structure, draft, material, model, None, found, filling)


def _fit(
    draft: Draft,
    material: FitMaterial,
    model: Mapping[str, Value],
    start: Floats,
    seen: Mask,
    steps: int = STEPS,
) -> TwinFit:
    def predicted(values: Floats) -> Floats:
        return material.predicted(draft.network(np.exp(values), model))

    problem = FitProblem(material.logs, material.pattern_of, seen * material.weight)
    return fit(predicted, problem, start, steps)


def _filling(found: TwinFit, material: FitMaterial) -> list[int]:
    """For each rate, in how many trials a sum of flows follows it."""
    follows = np.abs(found.jacobian) > FILLED
    return [len(np.unique(material.trial_of[rows])) for rows in follows.T]


def _with_start_up(found: Calibration, trips: Trips, draws: int) -> Calibration:
    """Add the overhead of hosts and the delays of links, if round trips were measured."""
    if not len(trips):
        return found
    links = [one.elements[0] for one in found.draft.delays[1:]]
    start_up = start_up_of(trips, found.network, links, draws, SEED)
    draft = found.draft.with_delays_us(
        [float(host_delay_us(found, start_up)[0]), *start_up.known_link_us]
    )
    overhead_us = float(start_up.overhead_us(found.material.least_message_us)[0])
    model = {**found.model, "overhead_s": overhead_us / 1e6}
    again = _calibrated(found.structure, draft, found.material, model)
    return replace(again, start_up=start_up)


def host_delay_us(found: Calibration, start_up: StartUp) -> Floats:
    """The part of a start-up that is not overhead, for each of the hosts' links that a message crosses, in us."""
    crossed = 1 if len(found.draft.hosts) == 2 else 2
    overhead_us = start_up.overhead_us(found.material.least_message_us)
    delays: Floats = (start_up.host_us - 2 * overhead_us) / crossed
    return delays
