"""Which steps of a plan run between many nodes at once."""

from __future__ import annotations

from typing import Any

ENSEMBLE_KINDS = frozenset(
    {"pairs", "alltoall", "matrix", "streams", "cast", "ring", "random", "xray"}
)
"""Patterns whose phases are sets of transfers; a size is measured on many routes, so that it is no
point of a curve."""


def is_ensemble(step: dict[str, Any]) -> bool:
    """Whether a step of a resolved plan runs between many nodes at once."""
    return step["pattern"]["kind"] in ENSEMBLE_KINDS


def measures_latency(step: dict[str, Any]) -> bool:
    """Whether a row of the step times round trips."""
    pattern = step["pattern"]
    return bool(pattern["kind"] == "pingpong" or pattern.get("measure") == "latency")
