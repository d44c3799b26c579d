"""Arrangements of a step of several pairs: how many at once, over which interfaces, and in which phases."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from weft.plan.pattern import Policy
from weft.plan.phases import PairsAtOnce, Phase


@dataclass(frozen=True)
class Arrangement:
    """A number of simultaneous pairs under a policy, and the step's phases with it, in order of size.

    `networks` has for each pair the interface that carries it, or its first connection, from 0.
    """

    policy: Policy
    pairs: int
    networks: tuple[int, ...]
    phases: range

    @property
    def name(self) -> str:
        """Its name for humans, such as "independent, 2" or "interface 1"."""
        if self.policy == "alone":
            return f"interface {self.networks[0] + 1}"
        return f"{self.policy}, {self.pairs}"

    def used(self, networks: int) -> list[int]:
        """The interfaces that carry traffic, from 0; none inside a node, or if a bond decides."""
        if self.policy in ("memory", "bonded"):
            return []
        if self.policy in ("striped", "mptcp"):
            return list(range(networks))
        return sorted(set(self.networks))


def arrangements(phases: Sequence[Phase]) -> list[Arrangement]:
    """The arrangements of a step's phases, in order."""
    alike = groupby(phases, key=lambda phase: phase.arrangement)
    return [_arrangement(made, list(members)) for made, members in alike if made]


def _arrangement(made: PairsAtOnce, phases: Sequence[Phase]) -> Arrangement:
    transfers = phases[0].transfers
    first_of_each = transfers[:: len(transfers) // made.pairs]
    return Arrangement(
        policy=made.policy,
        pairs=made.pairs,
        networks=tuple(one.network for one in first_of_each),
        phases=range(phases[0].index, phases[-1].index + 1),
    )
