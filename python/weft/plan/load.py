"""Load a plan from the catalogue or a file, with overrides, and check it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import TypeAlias

import msgspec

from weft import _core
from weft.base import catalog
from weft.base.errors import RequestError
from weft.base.files.text_file import parse_toml
from weft.plan.plan import Plan

PlanSource: TypeAlias = str | os.PathLike[str] | Mapping[str, object]
"""A catalogue name, the path of a TOML file, or a plan as a dictionary with the keys of such a file."""


def load_plan(source: PlanSource, overrides: Iterable[tuple[str, str]] = ()) -> Plan:
    """The resolved plan; raises RequestError if there is none or it is invalid.

    An override is a dotted key and a value: ("steps.pingpong.sizes.max", "64 KiB").
    """
    return parse_plan(*plan_text(source), overrides)


def plan_text(source: PlanSource) -> tuple[str, str]:
    """The TOML text of a plan, and its name for messages; raises RequestError if there is none. "PLAN:STEP" is a plan
    of the catalogue with only this step, under its name."""
    if isinstance(source, Mapping):
        return toml_text(source), "plan"
    name, _, step = os.fspath(source).partition(":")
    if step and name in catalog.names("plan"):
        return _one_step(name, step), os.fspath(source)
    try:
        path = catalog.find("plan", os.fspath(source))
    except RequestError as error:
        raise RequestError(error.message, _step_hint(os.fspath(source)) or error.hint) from None
    return catalog.read(path), catalog.shown(path)


def _one_step(name: str, step: str) -> str:
    table = parse_toml(catalog.read(catalog.find("plan", name)), name)
    chosen = [one for one in table["steps"] if one["name"] == step]
    if not chosen:
        hint = catalog.known_names(step, _steps(name))
        raise RequestError(f"plan {name!r} has no step {step!r}", hint)
    return toml_text({**table, "name": step, "steps": chosen})


def _step_hint(name: str) -> str:
    """How to ask for the catalogue's step of this name; empty if there is none."""
    places = [f"{plan}:{name}" for plan in catalog.names("plan") if name in _steps(plan)]
    return f"it is a step: {' or '.join(places)}" if places else ""


def _steps(plan: str) -> list[str]:
    table = parse_toml(catalog.read(catalog.find("plan", plan)), plan)
    return [str(one["name"]) for one in table["steps"]]


def parse_plan(text: str, origin: str, overrides: Iterable[tuple[str, str]] = ()) -> Plan:
    """The resolved plan of a TOML text; `origin` names it in messages. Raises RequestError if it is invalid."""
    resolved = _core.load_plan(text, origin, list(overrides), largest_message_bytes())
    return msgspec.json.decode(resolved, type=Plan)


def inline_text(value: object) -> str:
    """A value as TOML on one line; raises RequestError if TOML cannot represent it."""
    import tomlkit  # imported here, as plans are rarely dictionaries

    table = tomlkit.inline_table()
    try:
        table["value"] = value
    except (TypeError, ValueError) as error:
        raise RequestError(f"settings: {_not_toml(error)}", _TOML_HOLDS) from None
    return table.as_string().removeprefix("{value = ").removesuffix("}")


def setting_text(value: object) -> str:
    """A setting's value as TOML; strings such as "64 KiB" or "[1, 2]" are not quoted."""
    return value if isinstance(value, str) else inline_text(value)


_TOML_HOLDS = "use texts, numbers, lists and dictionaries"


def _not_toml(error: Exception) -> str:
    """Why tomlkit refuses a value, in words of weft: "no value may be a NoneType"."""
    _, was_of, kind = str(error).partition("an object of <class '")
    return f"no value may be a {kind.partition(chr(39))[0]}" if was_of else "keys must be texts"


def toml_text(plan: Mapping[str, object]) -> str:
    """A dictionary as TOML; raises RequestError if TOML cannot represent it."""
    import tomlkit  # imported here, as plans are rarely dictionaries

    try:
        return tomlkit.dumps(plan)
    except (TypeError, ValueError) as error:
        raise RequestError(f"plan: {_not_toml(error)}", _TOML_HOLDS) from None


def largest_message_bytes() -> int:
    """Maximum message size: a quarter of the physical memory, since both ends of a pair on one machine need a buffer
    each."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 4
