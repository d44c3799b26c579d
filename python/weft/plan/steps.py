"""What sort of step a step of a resolved plan is."""

from __future__ import annotations

from typing import Any

_PAIR_PATTERNS = ("pingpong", "stream")


def is_ensemble(step: dict[str, Any]) -> bool:
    """Whether a step runs between many nodes at once: its phases are sets of transfers, and a size is measured on
    many routes, so that it is no point of a curve."""
    return step["pattern"]["kind"] not in _PAIR_PATTERNS


def is_adaptive(step: dict[str, Any]) -> bool:
    """Whether the phases of a step are chosen while it runs."""
    return bool(step["pattern"]["kind"] == "xray")


def measures_latency(step: dict[str, Any]) -> bool:
    """Whether a row of the step times round trips."""
    pattern = step["pattern"]
    return bool(pattern["kind"] == "pingpong" or pattern.get("measure") == "latency")
