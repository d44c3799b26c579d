"""What a step of a plan needs of a testbed."""

from __future__ import annotations

from typing import NoReturn

from weft.errors import RequestError
from weft.plan.pattern import Webserver
from weft.plan.phases import expand
from weft.plan.plan import Step
from weft.plan.roles import participants


def refuse_load(step: Step, kind: str, name: str) -> NoReturn:
    """Raise RequestError for a step with an application's work on a testbed where none is done."""
    what = (
        "is a web server"
        if isinstance(step.pattern, Webserver)
        else "has an application load (gamma)"
    )
    raise RequestError(
        f"step {step.name!r} {what}; on {kind}:{name} no application computes",
        "run it inside a simulated node, such as --on node:p4-400-base",
    )


def nodes_of(step: Step, testbed_nodes: int) -> list[int]:
    """The nodes that take part in a step; raises RequestError when the testbed has too few."""
    phases = expand(step, testbed_nodes)
    if not step.is_ensemble:
        return list(range(min(2, testbed_nodes)))
    if step.is_adaptive:
        return sorted(step.chosen_nodes or range(testbed_nodes))
    return sorted({node for phase in phases for node in participants(phase)})
