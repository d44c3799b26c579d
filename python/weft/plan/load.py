"""Loading a plan: from the catalogue or a file, with overrides, checked before anything starts."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import TypeAlias

import msgspec

from weft import _core
from weft.base import catalog
from weft.base.errors import RequestError
from weft.plan.plan import Plan

PlanSource: TypeAlias = str | os.PathLike[str] | Mapping[str, object]
"""A catalogue name, the path of a TOML file, or a plan as a dictionary with the keys of such a file."""


def load_plan(source: PlanSource, overrides: Iterable[tuple[str, str]] = ()) -> Plan:
    """The resolved plan; raises RequestError when there is none or it is wrong.

    An override is a dotted key and a value: ("steps.pingpong.sizes.max", "64 KiB").
    """
    return parse_plan(*plan_text(source), overrides)


def plan_text(source: PlanSource) -> tuple[str, str]:
    """The TOML text of a plan, and what messages call it; raises RequestError when there is none."""
    if isinstance(source, Mapping):
        return toml_text(source), "plan"
    path = catalog.find("plan", os.fspath(source))
    return catalog.read(path), catalog.shown(path)


def parse_plan(text: str, origin: str, overrides: Iterable[tuple[str, str]] = ()) -> Plan:
    """The resolved plan of a TOML text; `origin` is what messages call it."""
    resolved = _core.load_plan(text, origin, list(overrides), largest_message_bytes())
    return msgspec.json.decode(resolved, type=Plan)


def inline_text(value: object) -> str:
    """A value as TOML on one line; raises RequestError for what TOML cannot hold."""
    import tomlkit  # here, because a plan is seldom a dictionary

    table = tomlkit.inline_table()
    try:
        table["value"] = value
    except (TypeError, ValueError) as error:
        raise RequestError(f"settings: {error}", _TOML_HOLDS) from None
    return table.as_string().removeprefix("{value = ").removesuffix("}")


def setting_text(value: object) -> str:
    """A value of a setting as TOML; a text stays as it is, such as "64 KiB" or "[1, 2]"."""
    return value if isinstance(value, str) else inline_text(value)


_TOML_HOLDS = "use texts, numbers, lists and dictionaries"


def toml_text(plan: Mapping[str, object]) -> str:
    """A dictionary as TOML; raises RequestError for what TOML cannot hold."""
    import tomlkit  # here, because a plan is seldom a dictionary

    try:
        return tomlkit.dumps(plan)
    except (TypeError, ValueError) as error:
        raise RequestError(f"plan: {error}", _TOML_HOLDS) from None


def largest_message_bytes() -> int:
    """A quarter of the physical memory: both ends of a pair on one machine need a buffer each."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 4
