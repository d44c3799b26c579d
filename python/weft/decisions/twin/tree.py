"""The switches that a search implies: the smallest tree in which each group has a switch of its own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from weft.understand.xray.flows import Members
from weft.understand.xray.limit.limit import SharedLimit
from weft.understand.xray.study import SearchStudy


@dataclass(frozen=True)
class Branch:
    """A switch with the hosts below it. `out`, `into` and `inside` are the limits found there: of traffic leaving and
    entering the members, and through their switch."""

    name: str
    members: Members
    children: tuple[Branch, ...] = ()
    out: SharedLimit | None = None
    into: SharedLimit | None = None
    inside: SharedLimit | None = None

    def walk(self) -> Iterator[Branch]:
        """This switch and all below it, from the top."""
        yield self
        for child in self.children:
            yield from child.walk()

    @property
    def own_hosts(self) -> list[int]:
        """The hosts on this switch itself."""
        return sorted(self.members.difference(*(child.members for child in self.children)))


def tree_of(study: SearchStudy) -> tuple[Branch, list[str]]:
    """The tree of a study, and the limits that do not fit into one."""
    nodes = study.survey.nodes
    wanted = [(one.members & nodes, one) for one in study.limits if len(one.members & nodes) > 1]
    groups = [group.members for group in study.survey.candidates.walk()]
    parts = [part for one in study.limits for part in one.parts if len(part) > 1]
    kept, refused = _laminar([nodes, *(members for members, _ in wanted)], [*groups, *parts])
    fitting = [limit for members, limit in wanted if members in kept]
    names = {members: f"sw{at}" for at, members in enumerate(sorted(kept, key=_order), 1)}
    return _branch(nodes, kept, names, fitting, nodes), [
        f"a limit of {len(members)} nodes that overlaps another one" for members in refused
    ]


def flat(hosts: int) -> Branch:
    """A single switch: nothing is known but that hosts reach each other."""
    return Branch("sw1", frozenset(range(hosts)))


def _order(members: Members) -> tuple[int, int]:
    return -len(members), min(members)


def _laminar(
    first: Iterable[Members], then: Iterable[Members]
) -> tuple[set[Members], list[Members]]:
    """A family of sets that are nested or disjoint: as many as fit of the first, then of the others; and those of the
    first that did not fit."""
    kept: set[Members] = set()
    refused: list[Members] = []
    for is_first, sets in ((True, first), (False, then)):
        for members in sets:
            if all(members <= one or one <= members or not members & one for one in kept):
                kept |= {members} if len(members) > 1 else set()
            elif is_first:
                refused.append(members)
    return kept, refused


def _branch(
    members: Members,
    sets: set[Members],
    names: dict[Members, str],
    limits: list[SharedLimit],
    nodes: Members,
) -> Branch:
    below = [one for one in sets if one < members]
    largest = [one for one in below if not any(one < other for other in below)]
    children = [_branch(one, sets, names, limits, nodes) for one in sorted(largest, key=min)]
    own = {_side(one): one for one in limits if one.members & nodes == members}
    return Branch(
        names[members], members, tuple(children), own.get("out"), own.get("in"), own.get("inside")
    )


def _side(limit: SharedLimit) -> str:
    return "inside" if limit.kind in ("switch", "core") else limit.direction
