"""Loading a plan: from the catalogue or a file, with overrides, checked before anything starts."""

from __future__ import annotations

import os
from collections.abc import Iterable

import msgspec

from weft import _core
from weft.plan import catalog
from weft.plan.plan import Plan


def load_plan(name_or_path: str, overrides: Iterable[tuple[str, str]] = ()) -> Plan:
    """The resolved plan; raises RequestError when there is none or it is wrong.

    An override is a dotted key and a value: ("steps.pingpong.sizes.max", "64 KiB").
    """
    path = catalog.find("plan", name_or_path)
    return parse_plan(catalog.read(path), catalog.shown(path), overrides)


def parse_plan(text: str, origin: str, overrides: Iterable[tuple[str, str]] = ()) -> Plan:
    """The resolved plan of a TOML text; `origin` is what messages call it."""
    resolved = _core.load_plan(text, origin, list(overrides), largest_message_bytes())
    return msgspec.json.decode(resolved, type=Plan)


def largest_message_bytes() -> int:
    """A quarter of the physical memory: both ends of a pair on one machine need a buffer each."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 4
