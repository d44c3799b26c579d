"""Why steps with a goal ended, in words."""

from __future__ import annotations

from collections.abc import Iterator

from weft.plan.plan import Goal
from weft.run.meta import RunMeta
from weft.run.missing import COMPUTED
from weft.run.records import Stop

MOST_SAID = 1000
"""More launches than these are no advice."""


def stop_lines(meta: RunMeta) -> Iterator[str]:
    """One line for each step with a goal: what is known, what is open, and what would decide it."""
    for index, step in enumerate(meta.plan.steps):
        stops = [one for one in meta.stops if one["step"] == index]
        if step.goal and meta.testbed.get("kind") in COMPUTED:
            yield f"{step.name}: one launch, since what is computed comes out the same each time"
        elif step.goal and stops:
            yield f"{step.name}: {'; '.join(_parts(stops, step.goal))}"


def _parts(stops: list[Stop], goal: Goal) -> Iterator[str]:
    by_width = [one for one in stops if one["reason"] == "width"]
    by_modes = [one for one in stops if one["reason"] == "modes"]
    undecided = [one for one in stops if one["reason"] not in ("width", "modes")]
    if goal.width_ppm:
        known = f"{len(by_width)} of {len(stops)} sizes are known to ±{100 * goal.width:g} %"
        yield known + (f" after {_launches(by_width)}" if by_width else "")
    if by_modes:
        yield f"{len(by_modes)} have several modes whose shares are known, after {_launches(by_modes)}"
    if undecided:
        ended = f"{len(undecided)} ended {_why(undecided[0], goal)} after {_launches(undecided)}"
        yield ended + _remedy(undecided)


def _launches(stops: list[Stop]) -> str:
    counts = sorted({one["launches"] for one in stops})
    return f"{counts[0]} launches" if len(counts) == 1 else f"{counts[0]} to {counts[-1]} launches"


def _why(stop: Stop, goal: Goal) -> str:
    return {
        "time": f"when {goal.time_ns / 1e9:g} s were over",
        "launches": "at the most launches there are",
    }.get(stop["reason"], "when the run was interrupted")


def _remedy(stops: list[Stop]) -> str:
    """How many launches would decide half of the sizes that are open, and all."""
    more = sorted(one["needed"] - one["launches"] for one in stops if one["needed"] is not None)
    if not more:
        return ""
    half, most = more[len(more) // 2], more[-1]
    return f" (about {_some(half)} launches more would decide half of these, {_some(most)} all)"


def _some(launches: int) -> str:
    return f"{launches}" if launches <= MOST_SAID else f"over {MOST_SAID}"
