"""What sort of step a step of a resolved plan is."""

from __future__ import annotations

from typing import Any

_PAIR_PATTERNS = ("pingpong", "stream", "webserver")


def is_ensemble(step: dict[str, Any]) -> bool:
    """Whether a step runs between many nodes at once: its phases are sets of transfers, and a size is measured on
    many routes, so that it is no point of a curve."""
    return step["pattern"]["kind"] not in _PAIR_PATTERNS


def is_webserver(step: dict[str, Any]) -> bool:
    """Whether users ask a server for pages."""
    return bool(step["pattern"]["kind"] == "webserver")


def has_gamma(step: dict[str, Any]) -> bool:
    """Whether an application computes with what a stream brings, for some ratios gamma."""
    return bool(step["pattern"].get("gamma"))


def computes(step: dict[str, Any]) -> bool:
    """Whether an application's work is part of the step: then a size is measured under several loads, and is no point
    of a curve over sizes."""
    return is_webserver(step) or has_gamma(step)


def is_adaptive(step: dict[str, Any]) -> bool:
    """Whether the phases of a step are chosen while it runs."""
    return bool(step["pattern"]["kind"] == "xray")


def measures_latency(step: dict[str, Any]) -> bool:
    """Whether a row of the step times round trips."""
    pattern = step["pattern"]
    return bool(pattern["kind"] == "pingpong" or pattern.get("measure") == "latency")
