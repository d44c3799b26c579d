"""The workloads of a request as data."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from weft.base import catalog
from weft.base.errors import RequestError
from weft.decisions.decision.request import DecisionRequest, WorkloadEntry
from weft.plan.load import inline_text, parse_plan, plan_text
from weft.plan.pattern import Dependent, Hpl, ManyNodes, Pairs, Program, Streams
from weft.plan.plan import Plan, Step
from weft.simulation.prediction.programs import digests
from weft.simulation.sweep.task import SweptWorkload


@dataclass(frozen=True)
class WeightedWorkload:
    """`plan` is resolved, so that its steps have names. An application takes `compute_s` plus `repeat` times the
    plan."""

    name: str
    weight: float
    compute_s: float
    repeat: int
    load: SweptWorkload
    plan: Plan


def workloads_of(request: DecisionRequest, hosts: int) -> list[WeightedWorkload]:
    """All workloads; `hosts` take part if a workload does not say how many. Raises RequestError."""
    found = [_workload(one, request, one.nodes or hosts) for one in request.workloads]
    _check_constraints(request, found)
    return found


def _workload(entry: WorkloadEntry, request: DecisionRequest, nodes: int) -> WeightedWorkload:
    text, origin = plan_text(entry.plan)
    own = [(key, inline_text(value)) for key, value in entry.settings.items()]
    plan = parse_plan(text, origin, own)
    own += [
        (f"steps.{step.name}.trace", inline_text(str(Path(one.trace).resolve())))
        for _, step, one in plan.steps_of(Program)
        if one.trace
    ]
    counts = [(f"steps.{one.name}.nodes", str(nodes)) for one in plan.steps if _is_open(one)]
    overrides = (*own, *counts)
    load = SweptWorkload(text, overrides, request.phases, tuple(digests(plan).values()))
    own_time = (float(entry.compute_s), entry.repeat)
    return WeightedWorkload(
        entry.name, entry.weight, *own_time, load, parse_plan(text, origin, overrides)
    )


def _is_open(step: Step) -> bool:
    """Whether a step does not say which nodes take part."""
    pattern = step.pattern
    if isinstance(pattern, Pairs):
        return pattern.nodes is None and pattern.from_ is None
    if isinstance(pattern, Streams):
        return pattern.nodes is None and pattern.senders is None
    if isinstance(pattern, Hpl) and pattern.grid is not None:
        return False
    if isinstance(pattern, Program):
        return False
    return isinstance(pattern, (ManyNodes, Dependent)) and pattern.nodes is None


def _check_constraints(request: DecisionRequest, workloads: list[WeightedWorkload]) -> None:
    for one in request.constraints:
        if one.step:
            [plan] = [found.plan for found in workloads if found.name == one.workload]
            steps = [step.name for step in plan.steps]
            if one.step not in steps:
                raise RequestError(
                    f"a constraint is about step {one.step!r} of {one.workload!r}",
                    catalog.known_names(one.step, steps),
                )
