"""Keys of a fabric file that do not affect simulations."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from typing import Any

_NEEDS: Mapping[str, str] = {
    "queue_frames": "queues are simulated with sharing=reno only",
    "guest": "guests are built by vm: only",
    "kind": "guests are built by vm: only",
    "behind": "guests are built by vm: only",
}
"""By key: what it applies to."""
_WITH_RENO = ("queue_frames",)
_NO_CAPACITY = "that of a switch is what waits for its capacity, and one has none"


def not_simulated(text: str, sharing: str) -> dict[str, str]:
    """The keys of a fabric's text that have no effect on sim:, with the reason."""
    idle = {key: why for key, why in _NEEDS.items() if sharing != "reno" or key not in _WITH_RENO}
    file = tomllib.loads(text)
    found = set(_keys(file))
    said = {key: why for key, why in idle.items() if key in found}
    if any("queue_frames" in one and "capacity" not in one for one in file.get("switches", [])):
        said.setdefault("queue_frames", _NO_CAPACITY)
    return said


def _keys(value: Any) -> Iterator[str]:
    """The keys of all tables inside."""
    if isinstance(value, dict):
        yield from value
    inner = value.values() if isinstance(value, dict) else value
    if isinstance(inner, (str, bytes)) or not hasattr(inner, "__iter__"):
        return
    for one in inner:
        yield from _keys(one)
