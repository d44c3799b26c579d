"""What an action changes in a network, for a prediction, in the syntax of `weft what-if` once a fabric is given."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from weft.base.nodeset import fold
from weft.decisions.recommendations.action import Action
from weft.network.fabrics.document import FabricDocument
from weft.runs.records.fabric_records import CableDirection, FabricRecord, LinkRecord
from weft.understand.limits.fabric_tree import FabricTree

WAYS: tuple[CableDirection, CableDirection] = ("forward", "backward")
BOTH = 2


class Remedy(Protocol):
    """A change of a network, known by its nodes, because a fabric's file has its own names for what joins them."""

    def words(self, document: FabricDocument) -> tuple[str, ...]:
        """The change as changes of this fabric; empty if there is nothing to change."""


@dataclass(frozen=True)
class Proposal:
    """An action as a source proposes it, and what it changes, if its effect can be predicted. `instead` is the
    recommendation if it brings nothing."""

    action: Action
    remedy: Remedy | None = None
    instead: str = ""


@dataclass(frozen=True)
class LikePeers:
    """Give the cables of some nodes the rate that most others have."""

    nodes: tuple[str, ...]

    def words(self, document: FabricDocument) -> tuple[str, ...]:
        cables = _cables(document.resolved())
        usual = _usual(
            rate
            for name, cable in cables.items()
            for rate in _rates(cable)
            if name not in self.nodes
        )
        if usual is None:
            return ()
        return tuple(
            f"hosts.{name}.rate={usual / 1e6:g} Mb/s"
            for name in self.nodes
            if name in cables and set(_rates(cables[name])) != {usual}
        )


@dataclass(frozen=True)
class SameMtu:
    """Give the cables of some nodes the MTU that most others have."""

    nodes: tuple[str, ...]

    def words(self, document: FabricDocument) -> tuple[str, ...]:
        mtus = {name: one["mtu_bytes"] for name, one in _cables(document.resolved()).items()}
        usual = _usual(mtu for name, mtu in mtus.items() if name not in self.nodes)
        return tuple(
            f"hosts.{name}.mtu_bytes={usual}"
            for name in self.nodes
            if usual is not None and mtus.get(name, usual) != usual
        )


@dataclass(frozen=True)
class Widen:
    """Make what some nodes share this many times as wide."""

    members: tuple[str, ...]
    is_switch: bool
    times: float

    def words(self, document: FabricDocument) -> tuple[str, ...]:
        fabric = document.resolved()
        tree = FabricTree(fabric)
        members = frozenset(at for at, name in enumerate(tree.hosts) if name in self.members)
        if self.is_switch:
            wide = [one["name"] for one in fabric["switches"] if one["capacity_bits_per_s"]]
            found = [one for one in wide if tree.below.get(one) == members]
            return tuple(f"switches.{name}.capacity*={self.times:g}" for name in found)
        sides = members, frozenset(range(len(tree.hosts))) - members
        links = [one for one in tree.links if tree.below[tree.towards_root(one)[0]] in sides]
        return tuple(text for link in links for text in _wider(link, self.times))


@dataclass(frozen=True)
class WiderInside:
    """Make everything that hosts share this many times as wide."""

    times: float

    def words(self, document: FabricDocument) -> tuple[str, ...]:
        fabric = document.resolved()
        hosts = {one["name"] for one in fabric["hosts"]}
        links = [
            text
            for link in fabric["links"]
            if not hosts & set(link["ends"])
            for text in _wider(link, self.times)
        ]
        switches = [
            f"switches.{one['name']}.capacity*={self.times:g}"
            for one in fabric["switches"]
            if one["capacity_bits_per_s"]
        ]
        return (*links, *switches)


@dataclass(frozen=True)
class FasterPorts:
    """Make the cables of all hosts this many times as fast."""

    times: float

    def words(self, document: FabricDocument) -> tuple[str, ...]:
        cables = _cables(document.resolved())
        names = [name for name, one in cables.items() if len(list(_rates(one))) == BOTH]
        return (f"hosts.{fold(names)}.rate*={self.times:g}",) if names else ()


def _cables(fabric: FabricRecord) -> dict[str, LinkRecord]:
    """For each host, its first link."""
    hosts = {one["name"] for one in fabric["hosts"]}
    found: dict[str, LinkRecord] = {}
    for link in fabric["links"]:
        for end in link["ends"]:
            if end in hosts:
                found.setdefault(end, link)
    return found


def _wider(link: LinkRecord, times: float) -> Iterator[str]:
    """The directions that have a rate; others are unlimited."""
    first, second = link["ends"]
    has = [bool(link[way]["rate_bits_per_s"]) for way in WAYS]
    if all(has):
        yield f"links.{first}-{second}.rate*={times:g}"
    elif has[0]:
        yield f"links.{second}-{first}.rate_back*={times:g}"
    elif has[1]:
        yield f"links.{first}-{second}.rate_back*={times:g}"


def _rates(cable: LinkRecord) -> Iterator[int]:
    for way in WAYS:
        if rate := cable[way]["rate_bits_per_s"]:
            yield rate


def _usual(values: Iterator[int]) -> int | None:
    most = Counter(values).most_common(1)
    return most[0][0] if most else None
