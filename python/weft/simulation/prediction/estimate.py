"""Estimates a plan on a network from some of its phases: an all-to-all of a thousand nodes in a tenth of the time.

Phases are independent, so a step takes the sum of their times. If there are very many, they are divided into strata of
equal length, and one phase of each is simulated, drawn at random from a fixed seed (systematic sampling might coincide
with the period of racks). Differences between neighbours give the error of the sum.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from msgspec.structs import replace

from weft.base.errors import RequestError
from weft.base.statistics import Floats
from weft.measure.execute.host_settings.places import check_knobs
from weft.measure.testbed.computed.network import SimulatedNetwork
from weft.measure.testbed.computed.outcome import SimulatedPhases
from weft.plan.plan import Plan, SizeList, Step
from weft.simulation.prediction.programs import check_program, settled_program
from weft.understand.summary.measures import carried_mbps


@dataclass(frozen=True)
class Stratum:
    """A phase that represents `weight` phases of its step."""

    phase: int
    weight: int


@dataclass(frozen=True)
class EstimatedPhases:
    """Phases of a step at one size, each with the number of phases that it represents."""

    step: str
    size_bytes: int
    weights: Floats
    times_s: Floats
    """The time until the slowest route has moved a message, by phase."""
    rates_mbps: Floats
    """The total rate of all routes, by phase."""

    @property
    def time_s(self) -> float:
        """The total time of all phases of the step at this size, in sequence."""
        return float(self.weights @ self.times_s)

    @property
    def rate_mbps(self) -> float:
        """The mean rate over all phases."""
        return float(self.weights @ self.rates_mbps / self.weights.sum())

    @property
    def relative_error(self) -> float:
        """The relative standard error of `time_s`; 0 if every phase was simulated. It underestimates the effect of
        rare, much longer phases, and of a period within a stratum."""
        if np.all(self.weights == 1):
            return 0.0
        steps = np.diff(self.weights * self.times_s)
        # W. G. Cochran, Sampling Techniques, 3rd ed., section 5A.12: one unit per stratum, collapsed neighbours.
        left = 1 - len(self.weights) / self.weights.sum()
        return float(np.sqrt(left * (steps @ steps) / 2) / self.time_s)

    def every(self, stride: int) -> EstimatedPhases:
        """Every n-th of the phases, where n is `stride`."""
        kept = slice(None, None, stride)
        columns = (self.weights[kept], self.times_s[kept], self.rates_mbps[kept])
        return EstimatedPhases(self.step, self.size_bytes, *columns)


def check_plan(testbed: SimulatedNetwork, plan: Plan) -> None:
    """Raises RequestError if a plan cannot be estimated on this testbed."""
    check_steps(plan)
    check_knobs(plan, len(testbed.nodes), True)
    for step in plan.steps:
        if step.is_program:
            settled_program(testbed, step)
        else:
            testbed.check(step)


def check_steps(plan: Plan) -> None:
    """Raises RequestError if a plan has steps that cannot be estimated on any testbed."""
    for step in plan.steps:
        if step.is_program:
            check_program(step)
        elif step.is_adaptive or not step.is_ensemble:
            what = "searches" if step.is_adaptive else "is between two nodes"
            raise RequestError(
                f"step {step.name!r} {what}: only steps between many nodes are estimated",
                "take a pattern such as alltoall, ring, random, collective, halo, hpl or program",
            )


def strata_of(testbed: SimulatedNetwork, step: Step, most: int) -> list[list[Stratum]]:
    """At most `most` phases of each size of a step, which represent all."""
    one_size = replace(step, sizes=SizeList((step.first_bytes,)))
    each = testbed.phase_count(one_size)
    return [_strata(first, each, most) for first in range(0, testbed.phase_count(step), each)]


def simulate_strata(
    testbed: SimulatedNetwork, step: Step, strata: Sequence[Stratum]
) -> EstimatedPhases:
    """Simulates the phases of some strata; raises RequestError if a transfer has no path."""
    outcomes = testbed.simulate_phases(step, (one.phase for one in strata))
    found = [_numbers(testbed, step, outcome) for outcome in outcomes]
    sizes, times_s, rates_mbps = (np.array(column) for column in zip(*found, strict=True))
    weights = np.array([one.weight for one in strata], dtype=float)
    return EstimatedPhases(step.name, int(sizes[0]), weights, times_s, rates_mbps)


def _strata(first: int, count: int, most: int) -> list[Stratum]:
    edges = [count * part // most for part in range(most + 1)] if count > most else range(count + 1)
    chance = random.Random(count)
    return [
        # `random()` is the same in every version of Python, which `randrange` need not be.
        Stratum(first + begin + int(chance.random() * (end - begin)), end - begin)
        for begin, end in pairwise(edges)
    ]


def _numbers(
    testbed: SimulatedNetwork, step: Step, outcome: SimulatedPhases
) -> tuple[int, float, float]:
    """Size, time and rate of a phase."""
    _refuse_failed(testbed, step, outcome)
    size_bytes, routes, slowest_mbps, sum_mbps = _digest(outcome) or _summary(step, outcome)
    together_mbps = carried_mbps(step, routes, slowest_mbps, sum_mbps)
    return size_bytes, size_bytes * 8e-6 / slowest_mbps, together_mbps


def _digest(outcome: SimulatedPhases) -> tuple[int, int, float, float] | None:
    """Size, routes, slowest rate and total rate of a condensed phase; None if it was not condensed."""
    columns = outcome.condensed
    if not columns["phase"]:
        return None
    [size_bytes] = np.frombuffer(columns["size_bytes"], np.int64)
    [slowest_mbps] = np.frombuffer(columns["slowest_mbps"])
    [sum_mbps] = np.frombuffer(columns["aggregate_mbps"])
    [routes] = np.frombuffer(columns["transfers"], np.int64)
    return int(size_bytes), int(routes), float(slowest_mbps), float(sum_mbps)


def _summary(step: Step, outcome: SimulatedPhases) -> tuple[int, int, float, float]:
    """Size, routes, slowest rate and total rate of a phase, from its rows."""
    rows = outcome.rows
    first = np.frombuffer(rows["batch"], np.int32) == 0
    messages = np.frombuffer(rows["messages"], np.int32)[first] * float(step.crossings)
    size_bytes = np.frombuffer(rows["size_bytes"], np.int64)[first]
    elapsed_us = np.maximum(np.frombuffer(rows["elapsed_ns"], np.int64)[first], 1) / 1e3
    mbps = size_bytes * 8.0 * messages / elapsed_us
    return int(size_bytes.max()), len(mbps), float(mbps.min()), float(mbps.sum())


def _refuse_failed(testbed: SimulatedNetwork, step: Step, outcome: SimulatedPhases) -> None:
    if failed := [ends for phase in outcome.phases for ends in phase.failed]:
        source, destination = (testbed.nodes[end].name for end in failed[0])
        raise RequestError(
            f"step {step.name!r}: no path from {source} to {destination}",
            "choose nodes that reach each other with `nodes`",
        )
