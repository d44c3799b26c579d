"""What a testbed has of each knob: the value now, or why it cannot be set."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import msgspec

from weft.execute.host_settings import Seen, look
from weft.knobs.knob import Knob
from weft.testbed.base import Testbed
from weft.tuning.choice import Have
from weft.tuning.files import write

HAVE_NAME = "before.json"
OF_AGENTS = {"nodelay": "true"}
"""What agents set by themselves where a plan says nothing."""


def have_of(testbed: Testbed, known: Mapping[str, Knob], anyway: bool) -> dict[str, Have]:
    """Every knob of the catalogue; reads, and changes nothing. Raises AgentError where a node does not answer."""
    seen = look(testbed, [one for one in known.values() if one.is_of_node], anyway)
    return {
        name: _have(name, {node: found[name] for node, found in seen.items() if name in found})
        for name in known
    }


def _have(name: str, seen: Mapping[str, Seen]) -> Have:
    """One knob on all nodes, for which the first reason against it is enough."""
    if not seen:
        return Have(OF_AGENTS.get(name, ""))
    why_not = next((f"{node}: {one.why_not}" for node, one in seen.items() if one.why_not), "")
    current = {node: one.value or "" for node, one in seen.items()}
    values = set(current.values())
    value = (
        values.pop()
        if len(values) == 1
        else ", ".join(f"{value} on {node}" for node, value in current.items())
    )
    return Have(value, why_not, next(iter(seen.values())).allowed)


def save_have(folder: Path, have: Mapping[str, Have]) -> None:
    """Keep it, so that a tuning that is continued tries the same; raises WorkError."""
    write(folder / HAVE_NAME, msgspec.json.format(msgspec.json.encode(have)))


def read_have(folder: Path) -> dict[str, Have]:
    """What was there when the tuning began."""
    return msgspec.json.decode((folder / HAVE_NAME).read_bytes(), type=dict[str, Have])


def notes(have: Mapping[str, Have]) -> list[str]:
    """What a user is told at the start."""
    without_root = sum("root" in one.why_not for one in have.values())
    if not without_root:
        return []
    return [f"without root: {without_root} knobs of hosts and interfaces are left alone"]
