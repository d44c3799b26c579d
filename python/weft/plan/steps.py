"""What sort of step a step of a resolved plan is."""

from __future__ import annotations

from typing import Any

_PAIR_PATTERNS = ("pingpong", "stream", "exchange", "multipair", "webserver")


def is_ensemble(step: dict[str, Any]) -> bool:
    """Whether a step runs between many nodes at once: its phases are sets of transfers, and a size is measured on
    many routes, so that it is no point of a curve."""
    return step["pattern"]["kind"] not in _PAIR_PATTERNS


def is_multi_pair(step: dict[str, Any]) -> bool:
    """Whether several pairs of processes run between the same two nodes: a size is measured under several
    arrangements, and is no point of a curve."""
    return bool(step["pattern"]["kind"] == "multipair")


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
    is_latency = pattern.get("measure") == "latency" or pattern.get("test") == "latency"
    return bool(pattern["kind"] == "pingpong" or is_latency)


def crossings(step: dict[str, Any]) -> int:
    """How often a message crosses the network for each that a row counts: twice where as many come back."""
    pattern = step["pattern"]
    is_two_way = pattern["kind"] == "exchange" or pattern.get("test") == "two-way"
    return 2 if measures_latency(step) or is_two_way else 1
