"""What a step of a plan needs of a testbed."""

from __future__ import annotations

from typing import Any

from weft.plan.phases import expand
from weft.plan.steps import is_adaptive, is_ensemble
from weft.testbed.parts import participants


def nodes_of(step: dict[str, Any], testbed_nodes: int) -> list[int]:
    """The nodes that take part in a step; raises RequestError when the testbed has too few."""
    phases = expand(step, testbed_nodes)
    if not is_ensemble(step):
        return list(range(min(2, testbed_nodes)))
    if is_adaptive(step):
        return sorted(step["pattern"]["nodes"] or range(testbed_nodes))
    return sorted({node for phase in phases for node in participants(phase)})
