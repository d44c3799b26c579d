"""The numbers of a draft that fit what was measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from weft.fabrics.spec import Value
from weft.statistics import Floats
from weft.testbed.computed.network import Simulated
from weft.twin.draft import Draft
from weft.twin.evidence import Material, material_of
from weft.twin.fit import Fit, Problem, fit
from weft.twin.observed import Series
from weft.twin.start import start_of
from weft.twin.start_up import StartUp, Trips, start_up_of
from weft.twin.structure import Structure
from weft.twin.twin import Alternative

SEGMENTS = (2, 20)
"""Segments per acknowledgement that are tried: Linux' own, and that of receivers that merge segments."""
CLEARLY = 5.0
"""Another assumption than the first has to be so much more likely, as a logarithm."""
FILLED = 0.5
"""A part of the network was filled in a trial whose sum follows its rate so closely."""
SEED = 1


@dataclass(frozen=True)
class Calibration:
    """A draft with its start-up, the material that it was fitted to, and the fit: logarithms of its rates."""

    structure: Structure
    draft: Draft
    material: Material
    model: Mapping[str, Value]
    start_up: StartUp | None
    fit: Fit
    trials_filling: tuple[int, ...]

    @property
    def network(self) -> Simulated:
        """The best estimate."""
        return self.draft.network(np.exp(self.fit.values), self.model)

    @property
    def is_filled(self) -> list[bool]:
        """By rate, whether any trial filled it."""
        return [count > 0 for count in self.trials_filling]

    def refitted(self, seen: Floats) -> Simulated:
        """The network that rows with weights say, of which those with 0 are not known at all."""
        found = _fit(self.draft, self.material, self.model, seen)
        return self.draft.network(np.exp(found.values), self.model)

    def drawn(self, draws: int) -> Floats:
        """Rates that fit as well, a row a draw: trials are drawn again, as many of each pattern."""
        rng = np.random.default_rng(SEED)
        patterns = np.array([trial.pattern for trial in self.material.trials])
        free = np.array(self.is_filled)
        found = []
        for _ in range(draws):
            counts = np.zeros(len(patterns))
            for pattern in self.material.patterns:
                own = np.flatnonzero(patterns == pattern)
                np.add.at(counts, rng.choice(own, len(own)), 1.0)
            values = self.fit.redrawn(counts[self.material.trial_of])
            found.append(np.exp(np.where(free, values, self.fit.values)))
        return np.array(found)


def calibrate(
    structure: Structure, series: Sequence[Series], trips: Trips, draws: int
) -> tuple[Calibration, list[Alternative]]:
    """Rates first, then the start-up that is left at these rates; with the assumption that fits best."""
    draft = structure.draft.with_delays_us([0.0] * len(structure.draft.delays))
    material = material_of(series, draft)
    tried = [
        _calibrated(structure, draft, material, {"segments_per_ack": segments, "overhead_s": 0.0})
        for segments in SEGMENTS
    ]
    best = min(tried[1:], key=lambda one: one.fit.cost)
    if best.fit.cost > tried[0].fit.cost - CLEARLY:
        best = tried[0]
    alternatives = [
        Alternative("segments_per_ack", str(one.model["segments_per_ack"]), one.fit.cost)
        for one in tried
    ]
    return _with_start_up(best, trips, draws), alternatives


def _calibrated(
    structure: Structure, draft: Draft, material: Material, model: Mapping[str, Value]
) -> Calibration:
    seen = np.ones(len(material.logs))
    found = _fit(draft, material, model, seen)
    filling = tuple(_filling(found, material))
    return Calibration(structure, draft, material, model, None, found, filling)


def _fit(
    draft: Draft,
    material: Material,
    model: Mapping[str, Value],
    seen: Floats,
) -> Fit:
    def predicted(values: Floats) -> Floats:
        return material.predicted(draft.network(np.exp(values), model))

    start = start_of(draft, material, seen)
    problem = Problem(material.logs, material.pattern_of, seen * material.weight)
    return fit(predicted, problem, start)


def _filling(found: Fit, material: Material) -> list[int]:
    """For each rate, in how many trials a sum follows it."""
    follows = np.abs(found.jacobian) > FILLED
    return [len(np.unique(material.trial_of[rows])) for rows in follows.T]


def _with_start_up(found: Calibration, trips: Trips, draws: int) -> Calibration:
    """With the overhead of hosts and the delays of links, where round trips were measured."""
    if not len(trips):
        return found
    links = [one.elements[0] for one in found.draft.delays[1:]]
    start_up = start_up_of(trips, found.network, links, draws, SEED)
    host_us = float(start_up.host_us[0])
    overhead_us = overhead_of(found.material, host_us)
    draft = found.draft.with_delays_us([host_us / 2 - overhead_us, *start_up.known_link_us])
    model = {**found.model, "overhead_s": overhead_us / 1e6}
    again = _calibrated(found.structure, draft, found.material, model)
    return replace(again, start_up=start_up)


def overhead_of(material: Material, host_us: float) -> float:
    """Of a host, for each message. No more than a message took of those that were sent one after the other: the rest
    of a start-up is waiting, which does not keep a host from sending the next."""
    return min([host_us / 2, *(one.series.least_message_us for one in material.sums)])
