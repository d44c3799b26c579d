"""Explanations as data and as sentences."""

from __future__ import annotations

from dataclasses import dataclass, field

from weft.base.result import Documented

NOTHING = "nothing recorded explains it"
SET_FIRST = "no counter moved with it: suspect what was set first"
"""Replaces NOTHING if the run set what its hosts would have chosen otherwise."""
HARMLESS = "; true, but no median hangs on it"


@dataclass(frozen=True)
class Reading:
    """One counter in the slow stretches and in the fast ones; `fast` is null if a whole step is limited.

    `unit`: "share" of the time, "per message", or "per s".
    """

    counter: str
    where: str
    slow: float
    fast: float | None
    unit: str


@dataclass(frozen=True)
class Explanation(Documented):
    """What is explained (`kind`: "setting", "limit", "modes", "dip", "threshold" or "outliers"), where, and by which
    cause; None if nothing explains it.

    `strength` is the share of the lost time, or of the count, that the cause accounts for; `p_value` is corrected for
    the number of counters, and null if the kernel itself states the cause. A true cause is harmless if the medians of
    these sizes would be the same without it.
    """

    kind: str
    step: str
    sizes_bytes: tuple[int, ...]
    text: str
    cause: str | None = None
    nodes: tuple[str, ...] = ()
    strength: float = 0.0
    p_value: float | None = None
    evidence: list[Reading] = field(default_factory=list)
    is_harmless: bool = False
