"""The workloads of a request as data."""

from __future__ import annotations

from dataclasses import dataclass

from weft.base import catalog
from weft.base.errors import RequestError
from weft.decisions.decision.request import DecisionRequest, WorkloadEntry
from weft.plan.load import inline_text, parse_plan
from weft.plan.pattern import ManyNodes, Pairs, Streams
from weft.plan.plan import Plan, Step
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
    path = catalog.find("plan", entry.plan)
    text, origin = catalog.read(path), catalog.shown(path)
    own = [(key, inline_text(value)) for key, value in entry.settings.items()]
    plan = parse_plan(text, origin, own)
    counts = [(f"steps.{one.name}.nodes", str(nodes)) for one in plan.steps if _is_open(one)]
    overrides = (*own, *counts)
    load = SweptWorkload(text, overrides, request.phases)
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
    return isinstance(pattern, ManyNodes) and pattern.nodes is None


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
