"""The time of a kernel, measured or simulated, for comparison with a prediction."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from weft.base.interval import Interval

Key: TypeAlias = tuple[str, str, int]
"""Step, variant and size, which identify a kernel of a plan."""


@dataclass(frozen=True)
class KernelTime:
    """The time of a kernel of one step. `variant` is an algorithm or a number of nodes, empty if there is only one.
    `time_s` is over launches; `has_interval` says whether they, or repetitions within one launch, suffice for an
    interval. `compute_s` is the part in which a node computes, None if unknown."""

    step: str
    variant: str
    size_bytes: int
    time_s: Interval
    has_interval: bool
    compute_s: float | None = None

    @property
    def key(self) -> Key:
        """Identifies the kernel in other runs of the plan."""
        return self.step, self.variant, self.size_bytes
