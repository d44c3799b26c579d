"""The elements that may differ from others, numbered: both directions of nodes and of uplinks of groups, and delays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from weft.understand.curve.curve import Ints
from weft.understand.grey.quick.rounds import NONE
from weft.understand.xray.flows import Members

Kind = Literal["node", "uplink", "inside"]
CableDirection = Literal["out", "in", "both"]
Fault = Literal["slow", "delayed"]


@dataclass(frozen=True)
class QuickElement:
    """A node, the uplink of a group, or what joins the members of a group; in one direction or both."""

    kind: Kind
    members: Members
    way: CableDirection
    fault: Fault = "slow"


OF_NODES: tuple[tuple[CableDirection, Fault], ...] = (
    ("out", "slow"),
    ("in", "slow"),
    ("both", "delayed"),
)
OF_GROUPS: tuple[tuple[Kind, CableDirection, Fault], ...] = (
    ("uplink", "out", "slow"),
    ("uplink", "in", "slow"),
    ("inside", "both", "slow"),
    ("uplink", "both", "delayed"),
)


@dataclass(frozen=True, eq=False)
class Elements:
    """All elements of `count` nodes, of which some are in `groups`; nodes outside of groups are compared with each
    other."""

    count: int
    groups: Sequence[Members]

    def __getitem__(self, number: int) -> QuickElement:
        if number < len(OF_NODES) * self.count:
            what, node = divmod(number, self.count)
            return QuickElement("node", frozenset([node]), *OF_NODES[what])
        what, group = divmod(number - len(OF_NODES) * self.count, len(self.groups))
        kind, way, fault = OF_GROUPS[what]
        return QuickElement(kind, self.groups[group], way, fault)

    def nodes(self, nodes: Ints, way: CableDirection) -> Ints:
        """The element numbers of a direction ("both": the delay) of some nodes."""
        place = [one for one, _ in OF_NODES].index(way)
        found: Ints = place * self.count + nodes
        return found

    def of_groups(self, groups: Ints, kind: Kind, way: CableDirection) -> Ints:
        """The element numbers of a kind and direction of some groups, given by index; NONE stays NONE."""
        place = [one[:2] for one in OF_GROUPS].index((kind, way))
        first = len(OF_NODES) * self.count + place * len(self.groups)
        found: Ints = np.where(groups == NONE, NONE, first + groups)
        return found

    def group_of(self, nodes: Ints) -> Ints:
        """The group indices of some nodes, NONE for nodes outside of groups."""
        labels = np.full(self.count, NONE)
        for place, members in enumerate(self.groups):
            labels[list(members)] = place
        found: Ints = labels[nodes]
        return found

    @property
    def kinds(self) -> Ints:
        """By element the number of what it is."""
        sizes = [self.count] * len(OF_NODES) + [len(self.groups)] * len(OF_GROUPS)
        return np.repeat(np.arange(len(sizes)), sizes)

    @property
    def total(self) -> int:
        return len(OF_NODES) * self.count + len(OF_GROUPS) * len(self.groups)
