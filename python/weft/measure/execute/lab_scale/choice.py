"""Chooses the largest scale at which this machine carries a lab with room to spare."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

SCALES = tuple(float(f"{digit}e-{power}") for power in range(1, 6) for digit in (10, 5, 2))
"""1, 0.5, 0.2, 0.1 and so on."""
ENOUGH = 0.9
"""The hosts must get at least this share of what the fabric lets through."""
MOST_WAITING = 0.1
"""Agents that wait for a processor for a larger share of the time are close to being too slow."""
MARGIN = 0.4
"""The share of an overloaded machine's throughput that it carries reliably."""
FIRST_LOOK_MBPS = 600.0
"""More than any machine carries per processor, so higher rates are not tried."""
MOST_LOOKS = 4


@dataclass(frozen=True)
class ScaleTrial:
    """What the hosts of a lab achieved at full speed, what its fabric lets through, and the share of the time that
    agents waited for a processor."""

    carried_mbps: float
    possible_mbps: float
    waiting_share: float = 0.0

    @property
    def has_room(self) -> bool:
        """Whether the fabric was the limit rather than the machine, with some margin."""
        is_carried = self.carried_mbps >= ENOUGH * self.possible_mbps
        return is_carried and self.waiting_share <= MOST_WAITING


def choose(
    demand_mbps: float, processors: int, look: Callable[[float], ScaleTrial | None]
) -> float | None:
    """The scale for hosts that send `demand_mbps` together at full speed. `look` tries a scale and gives None if it
    cannot; then the result is None too."""
    scale = at_most(FIRST_LOOK_MBPS * processors / demand_mbps)
    for number in range(MOST_LOOKS):
        trial = look(scale)
        if trial is None or trial.has_room:
            return None if trial is None else scale
        scale = smaller(scale, trial) if number == 0 else at_most(scale / 2)
    return scale


def smaller(scale: float, trial: ScaleTrial) -> float:
    """A smaller scale that this machine is likely to carry, given a trial at a scale that it did not carry."""
    return min(
        at_most(scale / 2), at_most(scale * MARGIN * trial.carried_mbps / trial.possible_mbps)
    )


def at_most(limit: float) -> float:
    """The largest of SCALES that does not exceed a limit; the smallest if all do."""
    return next((one for one in SCALES if one <= limit * (1 + 1e-9)), SCALES[-1])
