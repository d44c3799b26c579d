"""The limits of a known network that both a victim and a congestor cross."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

import numpy as np

from weft import _core
from weft.network.fabrics.describe import Description
from weft.network.fabrics.spec import parse_spec
from weft.plan.plan import to_json
from weft.runs.meta import RunMeta
from weft.understand.kinds.interference.trials import roles
from weft.understand.limits.declared import DeclaredLimit, DeclaredNetwork
from weft.understand.limits.fabric_tree import has_one_way

Flow: TypeAlias = tuple[int, int, int]
"""Source and destination (indices of nodes in the run), and the number of bytes."""


@dataclass(frozen=True)
class CommonLimit:
    """A limit that both cross: its capacity, and the share of each one's bytes that crosses it."""

    limit: str
    capacity_mbps: float
    victim_share: float
    congestor_share: float


class _Crossed(Protocol):
    """The limits of a network, by name."""

    def bytes(self, flows: Sequence[Flow]) -> Counter[str]:
        """The bytes of some flows that cross each limit."""

    def capacity_mbps(self, limit: str) -> float:
        """The capacity of a limit."""


class _Tree:
    """A declared fabric with one path between any two hosts."""

    def __init__(self, network: DeclaredNetwork) -> None:
        self._network = network
        self._names = [_name(limit) for limit in network.limits]

    def bytes(self, flows: Sequence[Flow]) -> Counter[str]:
        crossed = self._network.crossings([(src, dst) for src, dst, _ in flows])
        sums = np.array([count for *_, count in flows]) @ crossed
        return Counter(dict(zip(self._names, sums.tolist(), strict=True)))

    def capacity_mbps(self, limit: str) -> float:
        return self._network.limits[self._names.index(limit)].capacity_mbps


class _Generated:
    """A generated network, with the path that it chooses for a flow."""

    def __init__(self, network: _core.Network) -> None:
        self._network = network
        self._names = network.constraints()
        self._unshared = {self._names[index] for index in network.unshared()}

    def bytes(self, flows: Sequence[Flow]) -> Counter[str]:
        found: Counter[str] = Counter()
        for src, dst, count in flows:
            way = self._network.way(src, dst, 0)
            found.update({self._names[index]: count for index in (way[0] if way else ())})
        return Counter({name: count for name, count in found.items() if name not in self._unshared})

    def capacity_mbps(self, limit: str) -> float:
        rates = Description(self._network).capacities_mbps
        return float(rates[self._names.index(limit)])


def shared_limits(meta: RunMeta, step: int, phase: int) -> tuple[CommonLimit, ...] | None:
    """The shared limits of a phase, the one that the congestor loads most first; None if the network is unknown."""
    crossed = _crossed(meta)
    if crossed is None:
        return None
    victims, _ = roles(meta, step)
    flows = _flows(meta, step, phase)
    of_victim = [one for one in flows if one[0] in victims and one[1] in victims]
    of_congestor = [one for one in flows if not {*one[:2]} & {*victims}]
    own, other = crossed.bytes(of_victim), crossed.bytes(of_congestor)
    own_bytes, other_bytes = (sum(one[2] for one in each) for each in (of_victim, of_congestor))
    found = [
        CommonLimit(
            limit=limit,
            capacity_mbps=crossed.capacity_mbps(limit),
            victim_share=own[limit] / own_bytes,
            congestor_share=other[limit] / other_bytes,
        )
        for limit in own
        if own[limit] and other[limit] and np.isfinite(crossed.capacity_mbps(limit))
    ]
    return tuple(sorted(found, key=lambda one: -one.congestor_share / one.capacity_mbps))


def _flows(meta: RunMeta, step: int, phase: int) -> list[Flow]:
    asked = meta.plan.steps[step]
    ranks = asked.chosen_nodes or range(len(meta.nodes))
    program = _core.Program.of_step(to_json(asked), phase, len(meta.nodes))
    return [(ranks[src], ranks[dst], count) for src, dst, count in program.flows()]


def _crossed(meta: RunMeta) -> _Crossed | None:
    fabric = meta.testbed.get("fabric")
    if fabric is not None:
        return _Tree(DeclaredNetwork(fabric)) if has_one_way(fabric) else None
    kind, _, text = str(meta.testbed.get("spec", "")).partition(":")
    if kind != "sim" or text.endswith(".xml"):
        return None
    spec = parse_spec(text)
    network = _core.Network.generated(spec.name, spec.others, meta.testbed.get("scale", 1.0))
    return None if network is None else _Generated(network)


def _name(limit: DeclaredLimit) -> str:
    return f"{limit.kind} of {limit.name}, {limit.direction}"
