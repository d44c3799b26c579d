"""The durations and rates of steps between many nodes in sentences."""

from __future__ import annotations

from collections.abc import Iterator

from weft.base.quantity import format_mbps, format_us
from weft.runs.folder import RunFolder
from weft.understand.ensemble.phases import overall_mbps, phases


def phase_sentences(run: RunFolder) -> Iterator[str]:
    """For each step between many nodes, the duration of its phases and the rate of each route."""
    if not any(step.is_ensemble for step in run.meta.plan.steps):
        return
    found = phases(run)
    for step, planned in enumerate(run.meta.plan.steps):
        mine = [one for one in found if one.step == step]
        if mine and planned.is_ensemble and not planned.measures_latency:
            slowest = min(mine, key=lambda one: one.rate_mbps)
            took = format_us(1e3 * sum(one.elapsed_ms for one in mine))
            yield (
                f"{planned.name}: {_phases(len(mine))} took {took}, each route gets "
                f"{format_mbps(overall_mbps(mine))}; the slowest is {' to '.join(slowest.slowest)} with "
                f"{format_mbps(slowest.rate_mbps)}"
            )


def _phases(count: int) -> str:
    return "1 phase" if count == 1 else f"{count:,} phases"
