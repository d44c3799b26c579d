"""The default workload of a what-if: an all-to-all with blocks that suit its hosts."""

from __future__ import annotations

from collections.abc import Sequence

from weft.base.errors import RequestError
from weft.decisions.what_if.network import Subject, host_rates_mbps
from weft.plan.load import load_plan
from weft.simulation.prediction.predict import PlannedWorkload
from weft.simulation.prediction.programs import ASK_INSTEAD, settled_settings, without_number

PLAN = "aapc"
BLOCK_S, LAB_BLOCK_S = 0.03, 0.2
"""A block occupies a host's cable for about this long, so that start-up hardly counts, nor, in labs, the machine's
overhead."""
_LEAST_BYTES, _MOST_BYTES = 1 << 14, 1 << 26


def workloads(
    subject: Subject,
    plans: Sequence[str],
    settings: Sequence[tuple[str, str]],
    scale: float,
    block_s: float = BLOCK_S,
) -> list[PlannedWorkload]:
    """The plans with their settings; raises RequestError if one is invalid, or has no step with a number to compare.
    Nodes that compute do so equally fast before and after."""
    if plans:
        found = [_asked(plan, settings) for plan in plans]
    else:
        size = ("steps.aapc.sizes", f'["{block_bytes(subject, scale, block_s)} B"]')
        found = [PlannedWorkload(PLAN, (size, *settings))]
    names = [load_plan(one.plan, one.overrides).name for one in found]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise RequestError(f"the plan {twice} is there twice", "give each plan once")
    return found


def _asked(plan: str, settings: Sequence[tuple[str, str]]) -> PlannedWorkload:
    loaded = load_plan(plan, settings)
    why = [reason for step in loaded.steps if (reason := without_number(step))]
    if len(why) == len(loaded.steps):
        raise RequestError(f"the plan {loaded.name} cannot be asked: {why[0]}", ASK_INSTEAD)
    return PlannedWorkload(plan, (*settings, *settled_settings(loaded)))


def block_bytes(subject: Subject, scale: float, block_s: float = BLOCK_S) -> int:
    """A power of two that most hosts' cables carry in about `block_s`."""
    own = sorted(host_rates_mbps(subject.median.open(scale)))
    usual_mbps = own[len(own) // 2] if own else 1000.0
    wanted = usual_mbps * 1e6 / 8 * block_s
    size = _LEAST_BYTES
    while size * 1.5 < wanted and size < _MOST_BYTES:
        size *= 2
    return size
