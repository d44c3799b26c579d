"""The plan of a race: the steps of a goal once for each candidate, with its settings."""

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
"""Messages of a stream that fill a window of the path, and of a round trip that are one packet."""
TRIALS = 3
MEASURES = {"stream": "throughput", "latency": "latency", "mixed": "mixed"}
"""What is measured for each goal; of a user's plan it is the time that it takes."""


class SettingsCandidate(Struct, frozen=True):
    """Settings that are raced together, by knob name (as in `weft list knobs`); none are the settings as they are."""

    name: str
    settings: dict[str, str] = {}


class RefusedCandidate(Struct, frozen=True):
    """A candidate that no plan can have, and why."""

    name: str
    reason: str


def race_plan(
    candidates: Sequence[SettingsCandidate], goal: PlanSource, trial_s: float, at_least: int = 1
) -> tuple[Table | None, list[RefusedCandidate]]:
    """A plan as a dictionary, and the candidates that are not in it; None where none but the baseline is left. Raises
    RequestError where the goal or the baseline is wrong."""
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
    load_plan(goal)  # says what is wrong in its own words
    text = (
        toml_text(goal)
        if isinstance(goal, Mapping)
        else catalog.read(catalog.find("plan", str(goal)))
    )
    steps = parse_toml(text, str(goal))["steps"]
    return [{"name": step["pattern"]} | step for step in steps], "time"


def _with_settings(step: Table, number: int, settings: Mapping[str, str]) -> Table:
    """A step as the candidate of this number carries it out."""
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
    """With room for a number, within the length of a name."""
    return name[:56]
