"""The choice of a scale: the largest at which this machine carries a lab with room to spare."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

SCALES = tuple(float(f"{digit}e-{power}") for power in range(1, 6) for digit in (10, 5, 2))
"""1, 0.5, 0.2, 0.1 and so on."""
ENOUGH = 0.9
"""Of what the fabric lets through."""
MOST_WAITING = 0.1
"""Agents that wait for a processor for a larger share of the time are about to be too slow."""
MARGIN = 0.4
"""The share of what an overloaded machine carried that it can be relied on for."""
FIRST_LOOK_MBPS = 600.0
"""More than any machine carries for each processor, so nothing faster is tried."""
MOST_LOOKS = 4


@dataclass(frozen=True)
class ScaleTrial:
    """What the hosts of a lab got when they sent as fast as they could, of what its fabric lets through, and the share
    of the time that agents waited for a processor."""

    carried_mbps: float
    possible_mbps: float
    waiting_share: float = 0.0

    @property
    def has_room(self) -> bool:
        """Whether fabric and not machine was the limit, with something to spare."""
        is_carried = self.carried_mbps >= ENOUGH * self.possible_mbps
        return is_carried and self.waiting_share <= MOST_WAITING


def choose(
    demand_mbps: float, processors: int, look: Callable[[float], ScaleTrial | None]
) -> float | None:
    """The scale for hosts that at full speed send so much together. `look` tries a scale; None where one cannot be
    tried."""
    scale = at_most(FIRST_LOOK_MBPS * processors / demand_mbps)
    for number in range(MOST_LOOKS):
        trial = look(scale)
        if trial is None or trial.has_room:
            return None if trial is None else scale
        scale = smaller(scale, trial) if number == 0 else at_most(scale / 2)
    return scale


def smaller(scale: float, trial: ScaleTrial) -> float:
    """A scale at which this machine is likely to carry what it did not carry at this one."""
    return min(
        at_most(scale / 2), at_most(scale * MARGIN * trial.carried_mbps / trial.possible_mbps)
    )


def at_most(limit: float) -> float:
    """The largest scale up to a limit; the smallest where all are above it."""
    return next((one for one in SCALES if one <= limit * (1 + 1e-9)), SCALES[-1])
