"""Why steps with a goal ended, in words, and how they compare with an earlier run."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, cast

from weft.plan.plan import Goal
from weft.runs.meta import RunMeta
from weft.runs.missing import COMPUTED
from weft.runs.records.goal_records import Ratio, Stop

_ENDS: tuple[Literal["low", "median", "high"], ...] = ("low", "median", "high")
ASSUMED = "if runs differ by no more than launches do"
"""The assumption behind every comparison with an earlier run."""
MOST_SAID = 1000
"""Advice never names more launches than this."""


def stop_lines(meta: RunMeta) -> Iterator[str]:
    """One line for each step with a goal: sizes known, sizes open, and the launches that would decide them."""
    for index, step in enumerate(meta.plan.steps):
        if line := stop_line(meta, index):
            yield f"{step.name}: {line}"


def stop_line(meta: RunMeta, step: int) -> str:
    """Sizes known, sizes open, and the launches that would decide them; empty if the step has no goal."""
    goal = meta.plan.steps[step].goal
    stops = [one for one in meta.stops if one["step"] == step]
    if goal and meta.testbed.get("kind") in COMPUTED:
        return "one launch, since what is computed comes out the same each time"
    return "; ".join(_parts(stops, goal, bool(meta.against))) if goal and stops else ""


def beside_earlier(meta: RunMeta, step: int) -> list[Stop]:
    """The sizes of a step that were compared with the earlier run."""
    return [one for one in meta.stops if one["step"] == step and one.get("ratio")]


def difference_text(stop: Stop) -> str:
    """By how much a size differs from the earlier run, or what would decide it. "Slower by 12 %" means 1.12 times as
    long."""
    low, middle, high = (_apart(cast(Ratio, stop["ratio"])[end]) for end in _ENDS)
    most = _percent(max(low, high))
    if stop["reason"] == "equal":
        return f"equal within {most}"
    if stop["reason"] == "differs":
        way = "slower" if cast(Ratio, stop["ratio"])["median"] < 1 else "faster"
        return f"{way} by {_percent(middle)} ({_percent(min(low, high))} to {most})"
    if not stop["needed"]:
        return f"undecided ({most} at most): the earlier run is too short"
    more = _some(stop["needed"] - stop["launches"])
    return f"undecided ({most} at most): about {more} launches more"


def _apart(ratio: float) -> float:
    return 100 * (max(ratio, 1 / ratio) - 1)


def _percent(value: float) -> str:
    return f"{value:.0f} %" if value >= 10 else f"{value:.2g} %"


def _parts(stops: list[Stop], goal: Goal, is_beside: bool) -> Iterator[str]:
    by_width = [one for one in stops if one["reason"] == "width"]
    by_modes = [one for one in stops if one["reason"] == "modes"]
    differing = [one for one in stops if one["reason"] == "differs"]
    equal = [one for one in stops if one["reason"] == "equal"]
    undecided = [one for one in stops if one["reason"] in ("time", "launches", "interrupted")]
    if is_beside:
        decided = f"{len(differing)} of {len(stops)} sizes differ from the earlier run, {len(equal)} equal it within "
        after = f" after {_launches(differing + equal)}" if differing + equal else ""
        yield f"{decided}{100 * goal.width:g} %{after}"
    if by_width or (goal.width_ppm and not is_beside):
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
    """How many more launches would decide half of the open sizes, and all of them."""
    more = sorted(one["needed"] - one["launches"] for one in stops if one["needed"] is not None)
    if not more:
        return ""
    half, most = more[len(more) // 2], more[-1]
    return f" (about {_some(half)} launches more would decide half of these, {_some(most)} all)"


def _some(launches: int) -> str:
    return f"{launches}" if launches <= MOST_SAID else f"over {MOST_SAID}"
