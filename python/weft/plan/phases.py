"""The phases of a step: which transfers run at the same time."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from weft import _core
from weft.errors import RequestError


def expand(step: dict[str, Any], nodes: int) -> list[dict[str, Any]]:
    """The phases of a resolved plan's step; raises RequestError when there are too few nodes.

    What carries the messages does not matter here, unless nothing does: that takes one node. Imported runs name
    carriers that no plan can.
    """
    carrier = "null" if step["transport"] == "null" else "tcp"
    try:
        expanded = _core.expand_step(json.dumps(step | {"transport": carrier}), nodes)
    except ValueError as error:
        raise RequestError(str(error)) from None
    phases: list[dict[str, Any]] = json.loads(expanded)
    return phases


@dataclass(frozen=True)
class PhaseSpec:
    """A phase somebody wants: its purpose in words, and transfers with `src`, `dst` and `streams`."""

    purpose: str
    size_bytes: int
    stop: dict[str, Any]
    transfers: list[dict[str, Any]]
