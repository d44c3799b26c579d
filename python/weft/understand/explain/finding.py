"""What explains something, as data and as a sentence."""

from __future__ import annotations

from dataclasses import dataclass, field

from weft.base.result import Documented

NOTHING = "nothing recorded explains it"
SET_FIRST = "no counter moved with it: suspect what was set first"
"""Where the run set what its hosts would have chosen otherwise."""
HARMLESS = "; true, but no median hangs on it"


@dataclass(frozen=True)
class Reading:
    """One counter, in the slow stretches beside the fast ones, or alone where a whole step is limited (`fast` is null).

    `unit`: "share" of the time, "per message", or "per s".
    """

    counter: str
    where: str
    slow: float
    fast: float | None
    unit: str


@dataclass(frozen=True)
class Explanation(Documented):
    """What is explained (`kind`: "setting", "limit", "modes", "dip", "threshold" or "outliers"), where, and by what: no
    cause where nothing does.

    `strength` is the part of the lost time, or of the count, that the cause has; `p_value` how often chance alone does
    as much, of all counters together; null where the kernel itself states the cause. A cause is
    harmless where it is true and the medians of these sizes would be the same without it.
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
