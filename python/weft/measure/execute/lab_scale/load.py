"""Which hosts fill their cables at the same time in a plan."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from weft.base.errors import RequestError
from weft.measure.execute.kinds.every import kind_of
from weft.network.fabrics.load import load_fabric
from weft.plan.plan import Plan, SizeList, Step

FRAME_BYTES = 1448
"""A ping-pong of smaller messages does not fill a cable."""


@dataclass(frozen=True)
class OfferedLoad:
    """Hosts, by number, that fill their cables at the same time; of a pair only one sends at a time."""

    hosts: tuple[int, ...]

    @classmethod
    def of_all(cls, fabric: str, first: int | None = None) -> OfferedLoad:
        """The load of all hosts of a fabric, or of its `first` hosts; raises RequestError."""
        return cls(tuple(range(first or len(load_fabric(fabric)["hosts"]))))

    @property
    def is_pair(self) -> bool:
        """Whether there is only one cable to fill."""
        return len(self.hosts) == 2

    def mbps(self, sending_mbps: Sequence[float]) -> float:
        """The total rate, given the rate of each host; hosts without a limit are not counted."""
        sent = [rate for rate in (sending_mbps[host] for host in self.hosts) if rate < math.inf]
        return max(sent, default=0.0) if self.is_pair else sum(sent)


def load_of_pair(hosts: int) -> list[OfferedLoad]:
    """The load of the first two hosts; raises RequestError if there are fewer."""
    if hosts < 2:
        raise RequestError("a pair needs two hosts")
    return [OfferedLoad((0, 1))]


def loads_of(plan: Plan, hosts: int) -> list[OfferedLoad]:
    """The loads of the steps that fill cables; raises RequestError if a step needs more hosts."""
    found = (_load_of(step, hosts) for step in plan.steps)
    return [load for load in found if load is not None]


def _load_of(step: Step, hosts: int) -> OfferedLoad | None:
    if step.measures_latency and _largest_bytes(step) < FRAME_BYTES:
        return None
    return OfferedLoad(tuple(kind_of(step).nodes(hosts)))


def _largest_bytes(step: Step) -> int:
    return max(step.sizes.bytes) if isinstance(step.sizes, SizeList) else step.sizes.max_bytes
