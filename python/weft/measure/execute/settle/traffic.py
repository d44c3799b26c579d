"""What a plan leaves open of a traffic simulation, settled before anything starts."""

from __future__ import annotations

from msgspec.structs import replace

from weft import _core
from weft.base.errors import RequestError
from weft.plan.pattern import Traffic
from weft.plan.plan import Step, to_json


def settle_traffic(step: Step, pattern: Traffic, testbed_nodes: int, scale: float) -> Step:
    """The step with the scale of the run where it has none of its own, so that messages shrink as rates do. Raises
    RequestError where cars have no routes, and where there are too few nodes."""
    if pattern.scale is None:
        pattern = replace(pattern, scale=min(scale, 1.0))
    step = replace(step, pattern=pattern)
    members = len(step.chosen_nodes or range(testbed_nodes))
    most = max(_core.traffic_counts(to_json(step), members))
    if most > members:
        raise RequestError(
            f"step {step.name!r}: counts has {most} nodes, and there are {members}",
            "leave it out, or take a larger network",
        )
    try:
        _core.check_traffic(to_json(step))
    except _core.RefusedError as error:
        raise RequestError(f"step {step.name!r}: {error}", "open links of `closed`") from None
    return step
