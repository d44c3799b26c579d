"""Changes of hosts: add, remove, move, swap."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from string import digits

from msgspec.structs import replace

from weft.base.errors import RequestError
from weft.base.nodeset import fold
from weft.network.fabrics.changes.change import Claim, refuse_unchanged
from weft.network.fabrics.changes.targets import hosts_named, nodes_of, switches_named, trunks_named
from weft.network.fabrics.changes.wiring import Cable, FabricWiring
from weft.network.fabrics.changes.writing import rewired
from weft.network.fabrics.document import FabricDocument

MOST_HOSTS = 100_000


@dataclass(frozen=True)
class Remove:
    """Remove hosts, switches or links between switches."""

    text: str
    target: str

    def apply(self, document: FabricDocument) -> FabricDocument:
        wiring = FabricWiring.of(document)
        names = set(nodes_of(self.target))
        if names <= set(wiring.hosts):
            return rewired(document, without_hosts(wiring, names))
        if names <= {one.name for one in wiring.switches}:
            return rewired(document, _without_switches(wiring, names))
        if "-" in self.target and names.isdisjoint(wiring.hosts):
            return rewired(document, _without_links(wiring, self.target))
        hosts_named(wiring, self.target)
        raise AssertionError("one of the names is no host")

    def claims(self, document: FabricDocument) -> list[Claim]:
        return []


@dataclass(frozen=True)
class Add:
    """Add `count` hosts, at the given switches or wherever there is room."""

    text: str
    count: int
    to: str | None

    def apply(self, document: FabricDocument) -> FabricDocument:
        wiring = FabricWiring.of(document)
        if wiring.is_cable:
            raise RequestError(
                f"{self.text}: {document.name} is two hosts on one cable",
                "add a network with a switch: topology=FABRIC",
            )
        new = list(_further_names(wiring, self.count))
        chosen = switches_named(wiring, self.to) if self.to else None
        cables = list(wiring.cables)
        for network in wiring.networks() if chosen is None else [_network_at(wiring, chosen[0])]:
            switches = chosen or _switches_of_hosts(wiring, network)
            cables += _placed(wiring, new, switches, network, self.text)
        hosts = (*wiring.hosts, *new)
        return rewired(document, _ordered(replace(wiring, hosts=hosts, cables=tuple(cables))))

    def claims(self, document: FabricDocument) -> list[Claim]:
        return []


@dataclass(frozen=True)
class Move:
    """Move hosts with their cables to other switches."""

    text: str
    hosts: str
    to: str

    def apply(self, document: FabricDocument) -> FabricDocument:
        wiring = FabricWiring.of(document)
        names = hosts_named(wiring, self.hosts)
        switches = switches_named(wiring, self.to)
        network = _network_at(wiring, switches[0])
        moved = {one.ends[0]: one for one in wiring.ports_of_hosts(network) if one.ends[0] in names}
        if missing := [name for name in names if name not in moved]:
            raise RequestError(f"{self.text}: {fold(missing)} has no port in that network")
        staying = tuple(one for one in wiring.cables if one not in moved.values())
        base = replace(wiring, cables=staying)
        places = _placed(base, names, switches, network, self.text)
        cables = [replace(moved[one.ends[0]], ends=one.ends) for one in places]
        after = _ordered(replace(wiring, cables=(*staying, *cables)))
        refuse_unchanged(self.text, set(wiring.cables), set(after.cables), f"{self.hosts} is")
        return rewired(document, after)

    def claims(self, document: FabricDocument) -> list[Claim]:
        return [
            ("the place of", name) for name in hosts_named(FabricWiring.of(document), self.hosts)
        ]


@dataclass(frozen=True)
class Swap:
    """Swap two hosts; the cables stay."""

    text: str
    one: str
    other: str

    def apply(self, document: FabricDocument) -> FabricDocument:
        wiring = FabricWiring.of(document)
        names = [name for text in (self.one, self.other) for name in hosts_named(wiring, text)]
        if len(names) != 2:
            raise RequestError(f"{self.text}: needs two hosts", "for example swap n20 n21")
        there = dict(zip(names, reversed(names), strict=True))
        cables = [
            replace(one, ends=(there.get(one.ends[0], one.ends[0]), one.ends[1]))
            if one.ends[0] in there
            else one
            for one in wiring.cables
        ]
        after = _ordered(replace(wiring, cables=tuple(cables)))
        refuse_unchanged(self.text, set(wiring.cables), set(after.cables), "the two are")
        return rewired(document, after)

    def claims(self, document: FabricDocument) -> list[Claim]:
        wiring = FabricWiring.of(document)
        names = (name for text in (self.one, self.other) for name in hosts_named(wiring, text))
        return [("the place of", name) for name in dict.fromkeys(names)]


def without_hosts(wiring: FabricWiring, names: set[str]) -> FabricWiring:
    """The wiring without some hosts; raises RequestError if none would be left."""
    left = tuple(name for name in wiring.hosts if name not in names)
    if len(left) < 2:
        raise RequestError(
            f"without {fold(sorted(names))} there would be {len(left) or 'no'} host{'' if left else 's'}",
            "keep two at least",
        )
    return replace(
        wiring,
        hosts=left,
        cables=tuple(one for one in wiring.cables if not names.intersection(one.ends)),
        paths=tuple(one for one in wiring.paths if not names & {one.from_, one.to}),
    )


def _without_switches(wiring: FabricWiring, names: set[str]) -> FabricWiring:
    parts = {one.name for one in wiring.switches if _is_inside(one.name, names)}
    hosts = [host for name in parts for host in wiring.hosts_at(name)]
    if hosts:
        raise RequestError(
            f"{fold(hosts)} would have no switch", "move or remove these hosts first"
        )
    return replace(
        wiring,
        switches=tuple(one for one in wiring.switches if one.name not in parts),
        cables=tuple(one for one in wiring.cables if not parts.intersection(one.ends)),
    )


def _without_links(wiring: FabricWiring, target: str) -> FabricWiring:
    try:
        gone = trunks_named(wiring, target)
    except RequestError as error:
        raise RequestError(
            f"remove {target}: there is no such host, switch or link", error.hint
        ) from None
    both = {one for cable in gone for one in (cable, cable.turned())}
    return replace(wiring, cables=tuple(one for one in wiring.cables if one not in both))


def _is_inside(name: str, switches: set[str]) -> bool:
    """Whether a switch is one of these or a part of one."""
    parts = name.split("/")
    return any("/".join(parts[:length]) in switches for length in range(1, len(parts) + 1))


def _further_names(wiring: FabricWiring, count: int) -> Iterator[str]:
    """Names that continue after the last host's."""
    if not 1 <= count <= MOST_HOSTS:
        raise RequestError(f"{count} hosts cannot be added", f"from 1 to {MOST_HOSTS}")
    prefix = wiring.hosts[-1].rstrip(digits)
    number = wiring.hosts[-1].removeprefix(prefix)
    width = len(number) if number.startswith("0") else 0
    numbers = [re.fullmatch(re.escape(prefix) + r"(\d+)", name) for name in wiring.hosts]
    last = max((int(one[1]) for one in numbers if one), default=0)
    known = {*wiring.hosts, *(one.name for one in wiring.switches)}
    found = 0
    while found < count:
        last += 1
        if (name := f"{prefix}{last:0{width}d}") not in known:
            found += 1
            yield name


def _network_at(wiring: FabricWiring, switch: str) -> int:
    """The network of a switch: that of the hosts it reaches."""
    reached, new = set[str](), {switch}
    names = [one.name for one in wiring.switches]
    while new:
        reached |= new
        joined = {end for one in wiring.trunks() if reached & {*one.ends} for end in one.ends}
        roots = {name.partition("/")[0] for name in reached | joined}
        parts = {name for name in names if name.partition("/")[0] in roots}
        new = (joined | parts) - reached
    return next((one.network for one in wiring.ports_of_hosts() if one.ends[1] in reached), 0)


def _switches_of_hosts(wiring: FabricWiring, network: int) -> list[str]:
    used = {one.ends[1] for one in wiring.ports_of_hosts(network)}
    return [one.name for one in wiring.switches if one.name in used]


def _placed(
    wiring: FabricWiring, names: Sequence[str], switches: Sequence[str], network: int, text: str
) -> list[Cable]:
    """Cables for new hosts. Switches with a number of ports are filled in order, then those without are filled
    evenly."""
    used = Counter(one.ends[1] for one in wiring.ports_of_hosts())
    ports = {one.name: one.ports for one in wiring.switches}
    usual: dict[str, Cable] = {}
    cables = []
    for name in names:
        free = [one for one in switches if used[one] < (ports[one] or MOST_HOSTS)]
        if not free:
            raise RequestError(f"{text}: no free port for {name}", _taken(switches, ports))
        at = min(free, key=lambda one: (ports[one] is None, used[one] if ports[one] is None else 0))
        used[at] += 1
        if at not in usual:
            usual[at] = _usual_cable(wiring, at, network)
        cables.append(usual[at].alike((name, at), network))
    return cables


def _taken(switches: Sequence[str], ports: dict[str, int | None]) -> str:
    counts = ", ".join(f"{name} has {ports[name]}" for name in switches[:6])
    return f"{counts}; have more first: switches.{switches[0]}.ports=..."


def _usual_cable(wiring: FabricWiring, switch: str, network: int) -> Cable:
    """The most common cable of hosts at the switch, or in the whole network if it has none."""
    own = wiring.ports_of_hosts(network)
    here = [one for one in own if one.ends[1] == switch] or own
    return Counter(one.alike() for one in here).most_common(1)[0][0]


def _ordered(wiring: FabricWiring) -> FabricWiring:
    """Sort cables of hosts by network and host."""
    place = {name: at for at, name in enumerate(wiring.hosts)}
    own = sorted(wiring.ports_of_hosts(), key=lambda one: (one.network, place[one.ends[0]]))
    return replace(wiring, cables=(*own, *wiring.trunks()))
