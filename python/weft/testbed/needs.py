"""What a step of a plan needs of a testbed."""

from __future__ import annotations

from typing import Any, NoReturn

from weft.errors import RequestError
from weft.plan.phases import expand
from weft.plan.roles import participants
from weft.plan.steps import is_adaptive, is_ensemble, is_webserver


def refuse_load(step: dict[str, Any], kind: str, name: str) -> NoReturn:
    """Raise RequestError for a step with an application's work on a testbed where none is done."""
    what = "is a web server" if is_webserver(step) else "has an application load (gamma)"
    raise RequestError(
        f"step {step['name']!r} {what}; on {kind}:{name} no application computes",
        "run it inside a simulated node, such as --on node:p4-400-base",
    )


def nodes_of(step: dict[str, Any], testbed_nodes: int) -> list[int]:
    """The nodes that take part in a step; raises RequestError when the testbed has too few."""
    phases = expand(step, testbed_nodes)
    if not is_ensemble(step):
        return list(range(min(2, testbed_nodes)))
    if is_adaptive(step):
        return sorted(step["pattern"]["nodes"] or range(testbed_nodes))
    return sorted({node for phase in phases for node in participants(phase)})
