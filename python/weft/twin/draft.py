"""A fabric file whose numbers are still open: where each parameter of a twin stands in it."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import groupby
from typing import Any

import numpy as np
import numpy.typing as npt
import tomlkit

from weft import _core
from weft.diagnosis.curve import Ints
from weft.diagnosis.xray.flows import Members, is_in
from weft.fabrics.document import FabricDocument
from weft.fabrics.spec import SimSpec, Value
from weft.nodeset import fold
from weft.statistics import Floats
from weft.testbed.computed.network import Simulated
from weft.twin.tree import Branch

Place = tuple[str | int, ...]
"""Keys and positions that lead to a value in a fabric file."""
Mask = npt.NDArray[np.bool_]
UNLIMITED = "1 Tb/s"
"""The other direction of a link of which one direction has a limit."""
MODEL = "model"
"""What the places of parameters begin with that a fabric file has no key for."""


@dataclass(frozen=True)
class Element:
    """A part of the network that takes flows one way: those that leave or enter `members`, or all that pass."""

    members: Members
    way: str
    parts: tuple[Members, ...] = ()

    def crossed_by(self, src: Ints, dst: Ints) -> Mask:
        """Which of some flows take part of it."""
        inside = is_in(self.members)
        own, other = (dst, src) if self.way in ("in", "received") else (src, dst)
        crossed: Mask = inside[own].copy()
        if self.way in ("out", "in"):
            crossed &= ~inside[other]
        for part in self.parts:
            crossed &= ~(is_in(part)[own] & is_in(part)[other])
        return crossed


@dataclass(frozen=True)
class Open:
    """A rate or delay that is to be found, with all its places. `elements` are the parts of the network that it is
    the rate of, each by itself."""

    name: str
    unit: str
    places: tuple[Place, ...]
    elements: tuple[Element, ...] = ()


@dataclass(frozen=True)
class Draft:
    """A fabric file that is being written, its open rates and delays, and rates that it has not, as nothing was seen to
    fill the links."""

    table: dict[str, Any]
    hosts: list[str]
    rates: list[Open] = field(default_factory=list)
    delays: list[Open] = field(default_factory=list)
    unlimited: list[Open] = field(default_factory=list)

    @cached_property
    def _template(self) -> str:
        marked = copy.deepcopy(self.table)
        for at, parameter in enumerate(self.rates):
            for place in parameter.places:
                put(marked, place, f"@{at}@")
        for entry in (*marked["hosts"], *marked.get("overrides", [])):
            entry["link"] = _on_one_line(entry["link"])
        return tomlkit.dumps(marked)

    def text(self, values: Sequence[float] | Floats) -> str:
        """The file with a value for each parameter, in its unit."""
        found = self._template
        for at, (parameter, value) in enumerate(zip(self.rates, values, strict=True)):
            found = found.replace(f"@{at}@", written(value, parameter.unit))
        return found

    def with_delays_us(self, values: Sequence[float]) -> Draft:
        """With a value for each of its delays."""
        table = copy.deepcopy(self.table)
        for delay, value in zip(self.delays, values, strict=True):
            for place in delay.places:
                put(table, place, written(value, "us"))
        return replace(self, table=table)

    def network(
        self, values: Sequence[float] | Floats, model: Mapping[str, Value] | None = None
    ) -> Simulated:
        """The network with these values, ready to be simulated."""
        core = _core.Network.declared(self.text(values), "twin", 1.0)
        return Simulated(core, SimSpec("twin", dict(model or {})), {"scale": 1.0})


def with_values(
    document: FabricDocument, places: Sequence[tuple[Sequence[Place], str, float]]
) -> FabricDocument:
    """A twin's file with other values at some places."""
    table = document.edited()
    for several, unit, value in places:
        for place in several:
            if place[0] != MODEL:
                put(table, place, written(value, unit))
    return FabricDocument(table, document.origin)


def _on_one_line(values: Mapping[str, str]) -> tomlkit.items.InlineTable:
    found = tomlkit.inline_table()
    found.update(values)
    return found


def put(table: Any, place: Place, value: str) -> None:
    """Set what is at a place."""
    *way, last = place
    for key in way:
        table = table[key]
    table[last] = value


def written(value: float, unit: str) -> str:
    """As fabric files have it: 9.4137 -> "9.4137 Mb/s"."""
    return f"{value:.6g} {unit}" if value < 1e6 else f"{value:.0f} {unit}"


@dataclass(frozen=True)
class SlowEnd:
    """A host whose own link is slow, one way or both."""

    host: int
    ways: tuple[str, ...]


def draft_of(
    root: Branch,
    hosts: Sequence[str],
    slow: Sequence[SlowEnd],
    routes: Sequence[tuple[int, int]] = (),
    title: str = "",
    name: str = "twin",
) -> Draft:
    """The file of a tree: every rate is open."""
    table: dict[str, Any] = {"name": name, "title": title}
    draft = Draft(table, list(hosts))
    table["hosts"] = [
        {"ids": fold(names), "attach": switch, "link": {"rate": "", "delay": ""}}
        for switch, names in _runs(root, hosts)
    ]
    count = len(table["hosts"])
    normal = [host for host in range(len(hosts)) if host not in {one.host for one in slow}]
    both = [
        Element(frozenset([host]), way)
        for host in normal
        if host in root.members
        for way in ("out", "in")
    ]
    rates: list[Place] = [("hosts", at, "link", "rate") for at in range(count)]
    delays: list[Place] = [("hosts", at, "link", "delay") for at in range(count)]
    draft.rates.append(Open("hosts.rate", "Mb/s", tuple(rates), tuple(both)))
    draft.delays.append(Open("hosts.delay", "us", tuple(delays)))
    table["switches"] = list(_switches(root, draft))
    table["links"] = list(_links(root, draft))
    _add_slow(draft, slow, root.members)
    _add_routes(draft, routes)
    if not table["links"]:
        del table["links"]
    return draft


def _runs(root: Branch, hosts: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    """Hosts that follow each other on a switch: plans name nodes by their place, so their order stays."""
    home = {host: branch.name for branch in root.walk() for host in branch.own_hosts}
    for switch, run in groupby(sorted(home), key=home.__getitem__):
        yield switch, [hosts[host] for host in run]


def _switches(root: Branch, draft: Draft) -> Iterator[dict[str, str]]:
    for at, branch in enumerate(root.walk()):
        entry = {"ids": branch.name}
        if branch.inside is not None:
            entry["capacity"] = ""
            parts = tuple(child.members for child in branch.children)
            ways = [Element(branch.members, way, parts) for way in ("sent", "received")]
            place = ("switches", at, "capacity")
            draft.rates.append(
                Open(f"switches.{branch.name}.capacity", "Mb/s", (place,), tuple(ways))
            )
        yield entry


def _links(root: Branch, draft: Draft) -> Iterator[dict[str, Any]]:
    """A link that nothing filled has no rate: it would store each frame for a time that nobody has seen."""
    pairs = [(child, branch) for branch in root.walk() for child in branch.children]
    for at, (child, above) in enumerate(pairs):
        key = f"links.{child.name}"
        out, into = (Element(child.members, way) for way in ("out", "in"))
        place, back = ("links", at, "rate"), ("links", at, "rate_back")
        entry = {"between": [child.name, above.name], "delay": ""}
        if _are_alike(child):
            entry["rate"] = ""
            draft.rates.append(Open(f"{key}.rate", "Mb/s", (place,), (out, into)))
        elif child.out is not None or child.into is not None:
            entry |= {"rate": UNLIMITED, "rate_back": UNLIMITED}
        if not _are_alike(child):
            ways = ((child.out, "rate", place, out), (child.into, "rate_back", back, into))
            for limit, name, where, element in ways:
                places, to = ((where,), draft.rates) if limit else ((), draft.unlimited)
                to.append(Open(f"{key}.{name}", "Mb/s", places, (element,)))
        draft.delays.append(Open(f"{key}.delay", "us", (("links", at, "delay"),), (out,)))
        yield entry


ALIKE = 1.05
"""Both directions of a link whose capacities differ by no more have one."""


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
            element = (Element(frozenset([one.host]), way),)
            place: Place = ("overrides", at, "link", key)
            if way in one.ways:
                draft.rates.append(Open(f"overrides.{host}.{key}", "Mb/s", (place,), element))
            else:
                usual = draft.rates[0]
                draft.rates[0] = Open(
                    usual.name, usual.unit, (*usual.places, place), (*usual.elements, *element)
                )


def _add_routes(draft: Draft, routes: Sequence[tuple[int, int]]) -> None:
    for at, (src, dst) in enumerate(routes):
        entries = draft.table.setdefault("paths", [])
        entries.append({"from": draft.hosts[src], "to": draft.hosts[dst], "rate": ""})
        name = f"paths.{draft.hosts[src]}-{draft.hosts[dst]}.rate"
        draft.rates.append(Open(name, "Mb/s", (("paths", at, "rate"),), ()))
