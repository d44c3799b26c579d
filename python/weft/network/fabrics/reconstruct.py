"""Reconstruct the tree of switches of a network from its routes.

Every link of a tree splits the hosts in two, and in one direction it carries exactly the traffic from one part to the
other. The splits that are compatible form the tree (P. Buneman, "The recovery of trees from measures of dissimilarity",
1971). The capacity of a switch is known from constraints that only its members' traffic crosses, in or out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain, count, zip_longest

from weft.base.errors import RequestError
from weft.network.fabrics.crossings import Crossing, Crossings, Members, hosts_of

_LINK = re.compile(r"(?P<lower>\S+) to (?P<upper>\S+)")
_INSIDE = re.compile(r"(?:into|out of) (?P<switch>\S+)")

Lane = int | None
"""The constraint of one direction of a link; None if unlimited."""


@dataclass(frozen=True)
class Joint:
    """A link from a node to its parent."""

    lower: str
    upper: str
    up: Lane = None
    down: Lane = None


@dataclass
class HostGroup:
    """Hosts split from all others: the links above them, the nearest first, and their switch."""

    up: list[int] = field(default_factory=list)
    down: list[int] = field(default_factory=list)
    inside: list[int] = field(default_factory=list)


@dataclass(frozen=True)
class SwitchTree:
    """Switches with their inner constraints, links, and pairs of hosts with a constraint of their own."""

    switches: dict[str, list[int]]
    joints: list[Joint]
    paths: dict[tuple[int, int], int]


class Reconstruction:
    """Builds the tree; raises RequestError if the routes are not those of a tree."""

    def __init__(self, crossings: Crossings) -> None:
        self._seen = crossings
        # The root has all hosts below it.
        self._parts: dict[Members, HostGroup] = {crossings.everyone: HostGroup()}
        self._paths: dict[tuple[int, int], int] = {}
        for at, crossing in crossings.by_constraint.items():
            self._sort(at, crossing)
        for members, part in self._parts.items():
            self._order(members, part)
        self._above = self._find_above()
        self._taken = set(crossings.hosts)
        self._names = self._find_names()

    def tree(self) -> SwitchTree:
        """The complete network."""
        switches = {
            self._names[members]: part.inside
            for members, part in self._parts.items()
            if members.bit_count() > 1 and self._names[members] not in self._seen.hosts
        }
        joints = []
        for members, above in self._above.items():
            part = self._parts.get(members, HostGroup())
            if self._names[members] != self._names[above]:
                links = list(self._links(part, self._names[members], self._names[above]))
                switches |= {link.upper: [] for link in links[:-1]}
                joints += links
        return SwitchTree(switches, joints, self._paths)

    def _sort(self, at: int, crossing: Crossing) -> None:
        """Determine what a constraint is."""
        everyone, senders = self._seen.everyone, crossing.sources
        if crossing.is_cut and senders | crossing.targets == everyone:
            members = min(senders, crossing.targets, key=lambda side: (side.bit_count(), side & 1))
            part = self._parts.setdefault(members, HostGroup())
            (part.up if senders == members else part.down).append(at)
        elif everyone in (senders, crossing.targets):
            self._parts.setdefault(senders & crossing.targets, HostGroup()).inside.append(at)
        elif crossing.pairs == 1:
            self._paths[hosts_of(senders)[0], hosts_of(crossing.targets)[0]] = at
        else:
            raise self._no_tree(at)

    def _order(self, members: Members, part: HostGroup) -> None:
        """Sort several links above the same hosts into a chain."""
        if len(part.up) < 2 and len(part.down) < 2:
            return
        near, far = hosts_of(members)[0], hosts_of(self._seen.everyone & ~members)[0]
        part.up.sort(key=self._seen.route(near, far).index)
        part.down.sort(key=self._seen.route(far, near)[::-1].index)

    def _find_above(self) -> dict[Members, Members]:
        """The smallest group around each group and host."""
        innermost = [self._seen.everyone] * len(self._seen.hosts)
        above = {}
        for members in sorted(self._parts, key=int.bit_count, reverse=True)[1:]:
            inside = hosts_of(members)
            above[members] = innermost[inside[0]]
            if any(innermost[host] != above[members] for host in inside):
                part = self._parts[members]
                raise self._no_tree((part.up + part.down + part.inside)[0])
            for host in inside:
                innermost[host] = members
        alone = {1 << host: around for host, around in enumerate(innermost) if around != 1 << host}
        return above | alone

    def _links(self, part: HostGroup, lower: str, upper: str) -> Iterator[Joint]:
        """The links between a node and its parent, with switches in between if there are several."""
        lanes = list(zip_longest(part.up, part.down)) or [(None, None)]
        between = [self._name([self._end(up, "upper")]) for up, _ in lanes[:-1]]
        ends = [lower, *between, upper]
        for (up, down), below, above in zip(lanes, ends, ends[1:], strict=False):
            yield Joint(below, above, up, down)

    def _find_names(self) -> dict[Members, str]:
        """Names of hosts and switches; exported platforms have the names of switches in those of their links."""
        names = {1 << i: host for i, host in enumerate(self._seen.hosts)}
        if len(self._seen.hosts) == 2:
            # Two hosts need no switch: one is the upper end of the other's link.
            names[self._seen.everyone] = self._seen.hosts[0]
        for members in self._parts:
            if members not in names:
                names[members] = self._name(list(self._suggestions(members)))
        return names

    def _suggestions(self, members: Members) -> Iterator[str]:
        part = self._parts[members]
        for at in part.inside:
            yield _group(_INSIDE, self._seen.names[at], "switch")
        yield from (self._end(up, "lower") for up in part.up[:1])
        for below, above in self._above.items():
            if above == members and below in self._parts:
                yield from (self._end(up, "upper") for up in self._parts[below].up[-1:])

    def _end(self, up: Lane, end: str) -> str:
        return "" if up is None else _group(_LINK, self._seen.names[up], end)

    def _name(self, suggested: list[str]) -> str:
        """The first suggestion that is not in use, else the next number."""
        numbered = (f"switch{number}" for number in count(1))
        for name in chain(map(_as_name, suggested), numbered):
            if name and name not in self._taken:
                self._taken.add(name)
                return name
        raise AssertionError("numbers do not end")

    def _no_tree(self, at: int) -> RequestError:
        crossing = self._seen.by_constraint[at]
        return RequestError(f"{self._seen.names[at]}: {crossing.objection}")


def _group(pattern: re.Pattern[str], name: str, group: str) -> str:
    found = pattern.fullmatch(name)
    return found[group] if found else ""


def _as_name(text: str) -> str:
    """A switch name without slashes, which would make it a part of another switch."""
    return re.sub(r"[^A-Za-z0-9._-]", "-", text)
