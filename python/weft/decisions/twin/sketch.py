"""The fabric file of a tree of switches: hosts on them, links between them, slow parts, with all rates open."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from weft.base.frames import FULL
from weft.base.nodeset import fold
from weft.decisions.twin.draft import UNLIMITED, Draft, OpenParameter, Place, TwinElement
from weft.decisions.twin.tree import Branch
from weft.understand.xray.flows import Members


@dataclass(frozen=True)
class SlowEnd:
    """A host whose own link is slow, in one direction or both."""

    host: int
    ways: tuple[str, ...]


def draft_of(
    root: Branch,
    hosts: Sequence[str],
    name: str,
    title: str,
    mtu_bytes: int = FULL.mtu_bytes,
    slow: Sequence[SlowEnd] = (),
    routes: Sequence[tuple[int, int]] = (),
) -> Draft:
    """The file of a tree with every rate open. Two hosts are joined by one cable, equal in both directions."""
    frames = {} if mtu_bytes == FULL.mtu_bytes else {"mtu_bytes": mtu_bytes}
    table: dict[str, Any] = {"name": name, "title": title}
    draft = Draft(table, list(hosts))
    if len(hosts) == 2:
        return _cable(draft, frames)
    table["hosts"] = [
        {"ids": fold(names), "attach": switch, "link": {"rate": "", "delay": "", **frames}}
        for switch, names in _runs(root, hosts)
    ]
    count = len(table["hosts"])
    normal = [host for host in range(len(hosts)) if host not in {one.host for one in slow}]
    both = [
        TwinElement(frozenset([host]), way)
        for host in normal
        if host in root.members
        for way in ("out", "in")
    ]
    rates: list[Place] = [("hosts", at, "link", "rate") for at in range(count)]
    delays: list[Place] = [("hosts", at, "link", "delay") for at in range(count)]
    draft.rates.append(OpenParameter("hosts.rate", "Mb/s", tuple(rates), tuple(both)))
    draft.delays.append(OpenParameter("hosts.delay", "us", tuple(delays)))
    table["switches"] = list(_switches(root, draft))
    table["links"] = [one | frames for one in _links(root, draft)]
    _add_slow(draft, slow, root.members)
    if lost := [hosts[host] for host in range(len(hosts)) if host not in root.members]:
        table.setdefault("overrides", []).append({"ids": fold(lost), "dead": True})
    _add_routes(draft, routes)
    if not table["links"]:
        del table["links"]
    return draft


def _cable(draft: Draft, frames: Mapping[str, int]) -> Draft:
    draft.table["hosts"] = [{"ids": fold(draft.hosts)}]
    draft.table["links"] = [{"between": draft.hosts, "rate": "", "delay": "", **frames}]
    ways = tuple(TwinElement(frozenset([0]), way) for way in ("out", "in"))
    draft.rates.append(OpenParameter("links.rate", "Mb/s", (("links", 0, "rate"),), ways))
    draft.delays.append(OpenParameter("links.delay", "us", (("links", 0, "delay"),)))
    return draft


def _runs(root: Branch, hosts: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    """Consecutive hosts on a switch: plans name nodes by position, so their order is kept."""
    home = dict.fromkeys(range(len(hosts)), root.name)
    home |= {host: branch.name for branch in root.walk() for host in branch.own_hosts}
    for switch, run in groupby(sorted(home), key=home.__getitem__):
        yield switch, [hosts[host] for host in run]


def _switches(root: Branch, draft: Draft) -> Iterator[dict[str, str]]:
    for at, branch in enumerate(root.walk()):
        entry = {"ids": branch.name}
        if branch.inside is not None:
            entry["capacity"] = ""
            parts = tuple(child.members for child in branch.children)
            ways = [TwinElement(branch.members, way, parts) for way in ("sent", "received")]
            place = ("switches", at, "capacity")
            draft.rates.append(
                OpenParameter(f"switches.{branch.name}.capacity", "Mb/s", (place,), tuple(ways))
            )
        yield entry


def _links(root: Branch, draft: Draft) -> Iterator[dict[str, Any]]:
    """Links; one that nothing filled has no rate, because a rate would delay each frame by a time that was never
    measured."""
    pairs = [(child, branch) for branch in root.walk() for child in branch.children]
    for at, (child, above) in enumerate(pairs):
        key = f"links.{child.name}"
        out, into = (TwinElement(child.members, way) for way in ("out", "in"))
        place, back = ("links", at, "rate"), ("links", at, "rate_back")
        entry = {"between": [child.name, above.name], "delay": ""}
        if _are_alike(child):
            entry["rate"] = ""
            draft.rates.append(OpenParameter(f"{key}.rate", "Mb/s", (place,), (out, into)))
        elif child.out is not None or child.into is not None:
            entry |= {"rate": UNLIMITED, "rate_back": UNLIMITED}
        if not _are_alike(child):
            ways = ((child.out, "rate", place, out), (child.into, "rate_back", back, into))
            for limit, name, where, element in ways:
                to = draft.rates if limit else draft.unlimited
                to.append(OpenParameter(f"{key}.{name}", "Mb/s", (where,), (element,)))
        draft.delays.append(OpenParameter(f"{key}.delay", "us", (("links", at, "delay"),), (out,)))
        yield entry


ALIKE = 1.05
"""Both directions of a link have one capacity if theirs differ by no more than this factor."""


def _are_alike(branch: Branch) -> bool:
    if branch.out is None or branch.into is None:
        return False
    one, other = branch.out.capacity_mbps.median, branch.into.capacity_mbps.median
    return max(one, other) <= ALIKE * min(one, other)


def _add_slow(draft: Draft, slow: Sequence[SlowEnd], nodes: Members) -> None:
    for one in slow:
        if one.host not in nodes:
            continue
        entries = draft.table.setdefault("overrides", [])
        at, host = len(entries), draft.hosts[one.host]
        entries.append({"ids": host, "link": {"rate": "", "rate_back": ""}})
        for key, way in (("rate", "out"), ("rate_back", "in")):
            element = (TwinElement(frozenset([one.host]), way),)
            place: Place = ("overrides", at, "link", key)
            if way in one.ways:
                draft.rates.append(
                    OpenParameter(f"overrides.{host}.{key}", "Mb/s", (place,), element)
                )
            else:
                usual = draft.rates[0]
                draft.rates[0] = OpenParameter(
                    usual.name, usual.unit, (*usual.places, place), (*usual.elements, *element)
                )


def _add_routes(draft: Draft, routes: Sequence[tuple[int, int]]) -> None:
    for at, (src, dst) in enumerate(routes):
        entries = draft.table.setdefault("paths", [])
        entries.append({"from": draft.hosts[src], "to": draft.hosts[dst], "rate": ""})
        name = f"paths.{draft.hosts[src]}-{draft.hosts[dst]}.rate"
        draft.rates.append(OpenParameter(name, "Mb/s", (("paths", at, "rate"),), ()))
