"""What a step of a plan needs of a testbed."""

from __future__ import annotations

from typing import Any

from weft.plan.phases import expand
from weft.testbed.parts import participants

_PAIR_PATTERNS = ("pingpong", "stream")


def is_ensemble(step: dict[str, Any]) -> bool:
    """Whether a step is for many nodes rather than for a pair."""
    return step["pattern"]["kind"] not in _PAIR_PATTERNS


def is_adaptive(step: dict[str, Any]) -> bool:
    """Whether the phases of a step are chosen while it runs."""
    return bool(step["pattern"]["kind"] == "xray")


def nodes_of(step: dict[str, Any], testbed_nodes: int) -> list[int]:
    """The nodes that take part in a step; raises RequestError when the testbed has too few."""
    phases = expand(step, testbed_nodes)
    if not is_ensemble(step):
        return list(range(min(2, testbed_nodes)))
    if is_adaptive(step):
        return sorted(step["pattern"]["nodes"] or range(testbed_nodes))
    return sorted({node for phase in phases for node in participants(phase)})
