"""Which workloads can be estimated; the others are left out and named."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from weft.base.errors import RequestError
from weft.decisions.decision.designs import Design, RefusedDesign
from weft.decisions.decision.request import DecisionRequest
from weft.decisions.decision.workloads import WeightedWorkload
from weft.runs.meta import Warning
from weft.simulation.prediction.estimate import check_plan, check_steps
from weft.simulation.sweep.task import open_network


def estimated(
    request: DecisionRequest, workloads: Sequence[WeightedWorkload], designs: Sequence[Design]
) -> tuple[list[WeightedWorkload], list[RefusedDesign]]:
    """The workloads that can be estimated on some design, and the others with the reason; raises RequestError if none
    is left, or a constraint is about one that is left out."""
    reasons = {one.name: _refusal(one, designs) for one in workloads}
    left_out = [RefusedDesign(name, why.message, why.hint) for name, why in reasons.items() if why]
    if len(left_out) == len(workloads):
        first = left_out[0]
        raise RequestError(f"no workload can be estimated; {first.name}: {first.why}", first.hint)
    for constraint in request.constraints:
        if why := reasons.get(constraint.workload):
            raise RequestError(
                f"constraint {constraint.text!r} is about a workload that cannot be estimated: {why.message}",
                "leave the constraint out",
            )
    return [one for one in workloads if not reasons[one.name]], left_out


def left_out_warnings(left_out: Sequence[RefusedDesign]) -> Iterator[Warning]:
    """One warning for each workload that is left out."""
    for one in left_out:
        yield Warning(
            "workload-left-out", f"workload {one.name!r} is left out: {one.why}", one.hint
        )


def _refusal(workload: WeightedWorkload, designs: Sequence[Design]) -> RequestError | None:
    """The first reason why no design can run it; None if one can."""
    try:
        check_steps(workload.plan)
    except RequestError as error:
        return error
    first = None
    for design in designs:
        try:
            check_plan(open_network(design.network), workload.plan)
        except RequestError as error:
            first = first or error
        else:
            return None
    return first
