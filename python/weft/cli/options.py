"""Options of commands: those that several share, and what those about applications change of a plan."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

import click

from weft.errors import RequestError
from weft.plan.load import load_plan
from weft.plan.plan import Step

nodes_option = click.option(
    "--nodes", type=click.IntRange(min=1), help="Use the first N nodes of a real cluster."
)
ports_option = click.option("--ports", metavar="RANGE", help="Ports for data, such as 5000-5100.")


def load_settings(plan: str, loads: Mapping[str, str | None]) -> list[tuple[str, str]]:
    """Settings of the steps that an option is for; raises RequestError where the plan has none."""
    given = {name: value for name, value in loads.items() if value is not None}
    if not given:
        return []
    steps = load_plan(plan).steps
    return [setting for name, value in given.items() for setting in _settings(steps, name, value)]


_KINDS: dict[str, tuple[str, str]] = {
    "gamma": ("stream", "gamma"),
    "users": ("webserver", "users"),
    "page": ("webserver", "sizes"),
}
"""Of each option, the pattern and the key it sets."""


def _settings(steps: Iterable[Step], name: str, value: str) -> list[tuple[str, str]]:
    pattern, key = _KINDS[name]
    mine = [index for index, step in enumerate(steps) if step.pattern.kind == pattern]
    if not mine:
        example = "gamma-sweep" if pattern == "stream" else "webserver"
        raise RequestError(
            f"--{name} {value}: the plan has no step of the pattern {pattern}",
            f"the plan {example} has one",
        )
    # KB is how many write kB.
    text = f'["{value.replace("KB", "kB")}"]' if name == "page" else value
    return [(f"steps[{index}].{key}", text) for index in mine]


_STOP = "steps.*.stop."
_EXAMPLE = "give 'decided', '±2 %', '60 s', 'launches=5', or several with commas between"
_WIDTH = re.compile(r"(?:±|\+-|\+/-)?\s*([\d.]+)\s*%")
_TIME = re.compile(r"[\d.]+\s*(?:ns|us|ms|s)")
_LAUNCHES = re.compile(r"launches\s*=\s*(\d+)")


def until_overrides(text: str) -> list[tuple[str, str]]:
    """What --until changes of a plan, as keys and values; raises RequestError."""
    overrides = dict(part for one in text.split(",") for part in _part(one.strip(), text))
    if _STOP + "time" in overrides and len(overrides) == 1:
        # Time alone: no width is narrow enough to end before.
        overrides[_STOP + "width"] = "0 %"
    if "launches" not in overrides:
        overrides.setdefault(_STOP + "rule", "relative")
    elif len(overrides) > 1:
        raise RequestError(f"--until {text}: a number of launches stands alone", _EXAMPLE)
    return list(overrides.items())


def _part(one: str, text: str) -> list[tuple[str, str]]:
    if one == "decided":
        return [(_STOP + "rule", one)]
    if found := _WIDTH.fullmatch(one):
        return [(_STOP + "width", f"{found[1]} %")]
    if _TIME.fullmatch(one):
        return [(_STOP + "time", one)]
    if found := _LAUNCHES.fullmatch(one):
        return [("launches", found[1])]
    raise RequestError(f"--until {text}: cannot read {one!r}", _EXAMPLE)
