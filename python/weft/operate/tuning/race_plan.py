"""The plan of a race: the steps of a goal, once for each candidate with its settings."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from weft.base import catalog
from weft.base.errors import RequestError
from weft.base.files.text_file import parse_toml
from weft.knobs.catalog import find
from weft.plan.load import PlanSource, load_plan, toml_text

Table = dict[str, Any]

STREAM_BYTES, TRIP_BYTES = "64 KiB", "64 B"
"""Message sizes: a stream that fills a window of the path, and a round trip of one packet."""
TRIALS = 3
MEASURES = {"stream": "throughput", "latency": "latency", "mixed": "mixed"}
"""What is measured for each goal; for a user's plan it is the duration."""


class SettingsCandidate(Struct, frozen=True):
    """Settings that are raced together, by knob name (as in `weft list knobs`); empty for the current settings."""

    name: str
    settings: dict[str, str] = {}


class RefusedCandidate(Struct, frozen=True):
    """A candidate that no plan can have, and the reason."""

    name: str
    reason: str


def race_plan(
    candidates: Sequence[SettingsCandidate], goal: PlanSource, trial_s: float, at_least: int = 1
) -> tuple[Table | None, list[RefusedCandidate]]:
    """The plan as a dictionary, and the candidates that are not in it; None if only the baseline is left. Raises
    RequestError if the goal or the baseline is invalid."""
    steps, measure = _steps_of(goal, trial_s, at_least)
    baseline = candidates[0]
    copies, names, refused = [], {}, []
    for number, one in enumerate(candidates):
        try:
            mine = [_with_settings(step, number, one.settings) for step in steps]
            read = load_plan({"name": "race", "steps": mine}).steps
        except RequestError as error:
            if one is baseline:
                raise
            refused.append(RefusedCandidate(one.name, error.message))
            continue
        copies += mine
        names[one.name] = [step.name for step in read]
    if len(names) < 2:
        return None, refused
    race = {"baseline": baseline.name, "measure": measure, "candidates": names}
    return {"name": "race", "race": race, "steps": copies}, refused


def _steps_of(goal: PlanSource, trial_s: float, at_least: int) -> tuple[list[Table], str]:
    """The steps of the baseline, and what is measured."""
    stop = {"rule": "time", "trial": f"{trial_s:g} s", "trials": TRIALS}
    longer = stop | {"at_least": at_least}
    stream = {"name": "stream", "pattern": "stream", "sizes": [STREAM_BYTES], "stop": longer}
    trip = {"name": "latency", "pattern": "pingpong", "sizes": [TRIP_BYTES], "stop": stop}
    of_goal = {"stream": [stream], "latency": [trip], "mixed": [stream, trip]}
    if isinstance(goal, str) and goal in of_goal:
        return of_goal[goal], MEASURES[goal]
    load_plan(goal)  # raises an error that says what is wrong
    text = (
        toml_text(goal)
        if isinstance(goal, Mapping)
        else catalog.read(catalog.find("plan", str(goal)))
    )
    steps = parse_toml(text, str(goal))["steps"]
    return [{"name": step["pattern"]} | step for step in steps], "time"


def _with_settings(step: Table, number: int, settings: Mapping[str, str]) -> Table:
    """A step with the settings of the candidate of this number."""
    changed = step | {"name": f"{_short(step['name'])}-{number}"}
    options = dict(step.get("options", {}))
    for name, value in settings.items():
        knob = find(name.partition("@")[0])
        if knob.transport:
            other = changed.get("transport", knob.transport)
            if other not in ("tcp", knob.transport):
                raise RequestError(f"{name}: is over {knob.transport}, not over {other}")
            changed["transport"] = knob.transport
        if knob.option:
            options[knob.option] = _of_option(knob.option, value)
        elif not knob.transport:
            options["knobs"] = options.get("knobs", {}) | {name: value}
    return changed | ({"options": options} if options else {})


def _of_option(option: str, value: str) -> object:
    """A value as TOML has it: a flag, a number, a processor for either end, or text."""
    if option == "cpus":
        chosen = [int(one) for one in re.findall(r"\d+", value)]
        return chosen * 2 if len(chosen) == 1 else chosen
    if value in ("true", "false"):
        return value == "true"
    return int(value) if value.isdecimal() else value


def _short(name: str) -> str:
    """The name, shortened so that a number fits within the length limit."""
    return name[:56]
