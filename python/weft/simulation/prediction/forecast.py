"""Predicts each kernel of a run's plan, on a network known from measurements, before the run begins."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from weft.base.errors import RequestError, WorkError
from weft.base.interval import Interval
from weft.measure.execute.kinds.every import kind_of
from weft.measure.execute.request import RunRequest, compute_plan
from weft.measure.testbed.computed.network import SimulatedNetwork
from weft.plan.plan import CountRule, Plan, Step
from weft.runs.folder import RunFolder
from weft.runs.predicted import ComputeTime, PredictedKernel, UnpredictedStep
from weft.simulation.prediction.draws import Draws
from weft.simulation.prediction.intervals import widened
from weft.simulation.prediction.placed import placed
from weft.understand.kinds.kernel_time import KernelTime
from weft.understand.summary.kernels import kernels

CARRIERS = ("tcp", "mpi")
"""The transports that measurements with TCP streams represent; they say nothing about others."""
LEAST_DRAWS = 10
MOST_S = 10.0
"""The processor time for draws; longer simulations have fewer of them."""


@dataclass(frozen=True)
class Forecast:
    """The prediction of a plan. `draws` networks were simulated in addition to the best estimate."""

    kernels: list[PredictedKernel]
    compute: list[ComputeTime]
    not_predicted: list[UnpredictedStep]
    draws: int


def forecast(draws: Draws, plan: Plan, places: Sequence[int], scale: float = 1.0) -> Forecast:
    """Predicts the settled `plan` of a run whose nodes are at `places` of a network, with rates times `scale`. Raises
    RequestError if none of its steps can be simulated."""
    begun_s = time.process_time()
    network = draws.median.open(scale)
    runs: list[RunFolder] = []
    refused: list[UnpredictedStep] = []
    for step in plan.steps:
        try:
            runs.append(simulate_step(network, _on_network(step, places)))
        except (RequestError, WorkError) as error:
            refused.append(UnpredictedStep(step.name, error.message))
    if not runs:
        why = "; ".join(f"{one.step}: {one.why}" for one in refused)
        raise RequestError(f"{plan.name}: nothing can be predicted: {why}", "leave --predict out")
    count = affordable(len(draws.drawn), time.process_time() - begun_s)
    # The settled steps are reused, so that the speed of a node is measured once for all draws.
    steps = [run.meta.plan.steps[0] for run in runs]
    drawn = [
        [kernels(simulate_step(one, step)) for step in steps]
        for one in _opened(draws, count, scale)
    ]
    predicted = [
        _predicted(steps[at], middle, [each[at] for each in drawn], draws)
        for at, middle in enumerate(map(kernels, runs))
    ]
    compute = [source for run in runs if (source := _compute_source(run))]
    return Forecast([one for part in predicted for one in part], compute, refused, count)


def simulate_step(network: SimulatedNetwork, step: Step) -> RunFolder:
    """Simulates one step on a network, in memory; raises RequestError if it cannot be simulated."""
    plan = Plan(step.name, step.name, 1, (step,))
    return compute_plan(network, plan, RunRequest(step.name, f"sim:{network.name}"))


def affordable(draws: int, each_s: float) -> int:
    """The number of draws to simulate, if one takes `each_s` of processor time."""
    most = max(LEAST_DRAWS, int(MOST_S / max(each_s, 1e-3)))
    return min(draws, most)


def _opened(draws: Draws, count: int, scale: float) -> Iterator[SimulatedNetwork]:
    return (one.open(scale) for one in draws.drawn[:count])


def _on_network(step: Step, places: Sequence[int]) -> Step:
    """The step as simulated on the network; raises RequestError if it cannot be."""
    if step.is_adaptive:
        raise RequestError("chooses its phases by what it measures")
    if step.transport not in CARRIERS:
        raise RequestError(f"is over {step.transport}, of which streams of TCP say nothing")
    return placed(step, places)


def _predicted(
    step: Step, middle: Sequence[KernelTime], drawn: Sequence[Sequence[KernelTime]], draws: Draws
) -> list[PredictedKernel]:
    discrepancy = _discrepancy(step, draws)
    found = []
    for at, one in enumerate(middle):
        others = [each[at] for each in drawn]
        interval = _interval(one, others, discrepancy)
        found.append(PredictedKernel(*one.key, interval, one.compute_s))
    return found


def _discrepancy(step: Step, draws: Draws) -> Sequence[float]:
    """Logarithms of possible errors of times. If flows have fixed amounts of data, a step's time depends on total
    rates; if flows run for a fixed time, it depends on the slowest flow."""
    if step.is_ensemble and not isinstance(step.stop, CountRule):
        return draws.discrepancy
    return [-one for one in draws.rate_discrepancy]


def _interval(
    middle: KernelTime, drawn: Sequence[KernelTime], discrepancy: Sequence[float]
) -> Interval:
    """The interval of a kernel's time; only the part beside computing is widened by the network's uncertainty."""
    compute_s = min(middle.compute_s or 0.0, middle.time_s.median)
    rest_s = middle.time_s.median - compute_s
    if rest_s <= 0:
        return Interval(compute_s, compute_s, compute_s)
    others = [max(one.time_s.median - compute_s, _LEAST * rest_s) for one in drawn]
    rest = widened(rest_s, others, discrepancy)
    return Interval(*(compute_s + one for one in (rest.median, rest.low, rest.high)))


_LEAST = 1e-3
"""The least time beside computing in any draw, as a share of that in the best estimate."""


def _compute_source(run: RunFolder) -> ComputeTime | None:
    """The source of the compute time in a run's only step; None if its nodes do not compute."""
    (step,) = run.meta.plan.steps
    measured = next((one.message for one in run.meta.warnings if one.code == "compute-rate"), None)
    said = measured.removeprefix(f"{step.name}: ") if measured else kind_of(step).compute_source
    return ComputeTime(step.name, said) if said else None
