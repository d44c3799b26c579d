"""Changes of a whole network: its packets, its uplinks, a second one beside it, another one in its place."""

from __future__ import annotations

import json
from dataclasses import dataclass

from msgspec.structs import replace

from weft import _core
from weft.base.errors import RequestError
from weft.network.fabrics.amounts import amount
from weft.network.fabrics.changes.change import Claim, refuse_unchanged
from weft.network.fabrics.changes.hosts import without_hosts
from weft.network.fabrics.changes.targets import switches_named
from weft.network.fabrics.changes.values import with_cables
from weft.network.fabrics.changes.wiring import Cable, CableDirection, FabricWiring, WiredSwitch
from weft.network.fabrics.changes.writing import rewired
from weft.network.fabrics.document import FabricDocument


@dataclass(frozen=True)
class Packets:
    """All hosts and links carry packets of this size."""

    text: str
    mtu_bytes: int

    def apply(self, document: FabricDocument) -> FabricDocument:
        before = FabricWiring.of(document)
        cables = tuple(replace(one, mtu_bytes=self.mtu_bytes) for one in before.cables)
        after = replace(before, cables=cables)
        refuse_unchanged(self.text, before, after, "all are")
        return rewired(document, after)

    def claims(self, document: FabricDocument) -> list[Claim]:
        return list(
            {("mtu_bytes", *sorted(one.ends)): None for one in FabricWiring.of(document).cables}
        )


@dataclass(frozen=True)
class Oversubscription:
    """Each switch's uplink carries what its hosts can send, divided by this; so in each network."""

    text: str
    ratio: float

    def apply(self, document: FabricDocument) -> FabricDocument:
        before = FabricWiring.of(document)
        after = before
        for network in before.networks():
            after = self._of_network(document, after, network)
        refuse_unchanged(self.text, before, after, "all uplinks are")
        return rewired(document, after)

    def claims(self, document: FabricDocument) -> list[Claim]:
        return list(
            {("rate", *sorted(one.ends)): None for one in FabricWiring.of(document).trunks()}
        )

    def _of_network(
        self, document: FabricDocument, wiring: FabricWiring, network: int
    ) -> FabricWiring:
        if "routing" in document.table:
            [link, *_] = wiring.trunks()
            raise RequestError(
                f"{self.text}: {document.name} has several ways between switches, of which none is the uplink",
                f"change its links, such as links.{link.ends[0]}.rate*={1 / self.ratio:g}; it also takes "
                "hosts.NAME.rate, mtu, remove, and topology=FABRIC",
            )
        tree = _core.fabric_tree(json.dumps(document.resolved()), network)
        above = {name: upper for name, upper in tree if upper is not None}
        below = _hosts_below(wiring, above, network)
        uplinks = [
            one if above.get(one.ends[0]) == one.ends[1] else one.turned()
            for one in wiring.trunks()
            if one.network == network and set(one.ends) <= set(above) | set(above.values())
        ]
        if not uplinks:
            raise RequestError(f"{self.text}: {document.name} has no links between switches")

        def widened(cable: Cable) -> Cable:
            ports = below.get(cable.ends[0], [])
            up, down = (self._share(way) for way in _ways(ports))
            return replace(
                cable,
                forward=replace(cable.forward, rate_bits_per_s=up),
                backward=replace(cable.backward, rate_bits_per_s=down),
            )

        return with_cables(wiring, [one for one in uplinks if below.get(one.ends[0])], widened)

    def _share(self, ways: list[CableDirection]) -> int:
        rates = [one.rate_bits_per_s for one in ways]
        known = [rate for rate in rates if rate is not None]
        if len(known) < len(rates):
            raise RequestError(
                f"{self.text}: hosts' cables have no rate", "set hosts.NAME.rate first"
            )
        return round(sum(known) / self.ratio)


def _ways(ports: list[Cable]) -> tuple[list[CableDirection], list[CableDirection]]:
    return [one.forward for one in ports], [one.backward for one in ports]


def _hosts_below(
    wiring: FabricWiring, above: dict[str, str], network: int
) -> dict[str, list[Cable]]:
    """By switch, the cables of all hosts below it."""
    below: dict[str, list[Cable]] = {}
    for cable in wiring.ports_of_hosts(network):
        at: str | None = cable.ends[1]
        while at is not None:
            below.setdefault(at, []).append(cable)
            at = above.get(at)
    return below


@dataclass(frozen=True)
class SecondNetwork:
    """One more interface for each host, at one switch without limits or at copies of switches and their uplinks."""

    text: str
    like: str | None = None
    rate: str | None = None

    def apply(self, document: FabricDocument) -> FabricDocument:
        wiring = FabricWiring.of(document)
        if wiring.is_cable:
            raise RequestError(f"{self.text}: {document.name} is two hosts on one cable")
        number = 1 + max(wiring.networks())
        prefix = f"net{number + 1}-"
        switches, trunks = self._copied(wiring, prefix)
        factor = self._factor(wiring)
        own = [
            replace(
                _at_rate(one, factor),
                ends=(one.ends[0], prefix + (one.ends[1] if self.like else "switch")),
                network=number,
                dead=False,
            )
            for one in _healthy(wiring)
        ]
        trunks = [_at_rate(one, factor) for one in trunks]
        cables = (*wiring.ports_of_hosts(), *own, *wiring.trunks(), *trunks)
        after = replace(wiring, switches=(*wiring.switches, *switches), cables=cables)
        return rewired(document, after)

    def claims(self, document: FabricDocument) -> list[Claim]:
        return []

    def _copied(self, wiring: FabricWiring, prefix: str) -> tuple[list[WiredSwitch], list[Cable]]:
        if self.like is None:
            return [WiredSwitch(f"{prefix}switch")], []
        asked = set(switches_named(wiring, self.like))
        used = {one.ends[1] for one in wiring.ports_of_hosts(0)}
        if missing := sorted(used - asked):
            raise RequestError(
                f"{self.text}: hosts are also at {', '.join(missing)}", "name all their switches"
            )
        trunks = [one for one in wiring.trunks() if one.network == 0]
        roots = {end.partition("/")[0] for one in trunks for end in one.ends}
        roots |= {name.partition("/")[0] for name in asked}
        mine = [one for one in wiring.switches if one.name.partition("/")[0] in roots]
        copies = [replace(one, name=prefix + one.name) for one in mine]
        return copies, [
            replace(one, ends=(prefix + one.ends[0], prefix + one.ends[1])) for one in trunks
        ]

    def _factor(self, wiring: FabricWiring) -> float:
        """What all rates are multiplied by, so that hosts have the one that was asked for."""
        if self.rate is None:
            return 1.0
        usual = _healthy(wiring)[0].forward.rate_bits_per_s
        if usual is None:
            raise RequestError(
                f"{self.text}: hosts' cables have no rate to compare", "leave at out"
            )
        try:
            return amount(self.rate, "rate", "100 Mb/s") / usual
        except ValueError as error:
            raise RequestError(f"{self.text}: {error}") from None


def _healthy(wiring: FabricWiring) -> list[Cable]:
    """The first network's cables of hosts as most are: a new cable has no old fault."""
    own = wiring.ports_of_hosts(0)
    kinds = [one.alike() for one in own]
    usual = max(kinds, key=kinds.count)
    return [usual.alike(one.ends) for one in own]


def _at_rate(cable: Cable, factor: float) -> Cable:
    def scaled(way: CableDirection) -> CableDirection:
        rate = way.rate_bits_per_s
        return replace(way, rate_bits_per_s=None if rate is None else round(rate * factor))

    return replace(cable, forward=scaled(cable.forward), backward=scaled(cable.backward))


@dataclass(frozen=True)
class Topology:
    """Another network for the same hosts: they keep their names and their order, the rest is the other's."""

    text: str
    other: FabricDocument

    def apply(self, document: FabricDocument) -> FabricDocument:
        hosts, wiring = FabricWiring.of(document).hosts, FabricWiring.of(self.other)
        if len(wiring.hosts) < len(hosts):
            raise RequestError(
                f"{self.text}: {self.other.name} has {len(wiring.hosts)} hosts, "
                f"{document.name} {len(hosts)}",
                "remove hosts first, or take a larger network",
            )
        surplus = set(wiring.hosts[len(hosts) :])
        wiring = without_hosts(wiring, surplus) if surplus else wiring
        return rewired(self.other, _renamed(wiring, hosts))

    def claims(self, document: FabricDocument) -> list[Claim]:
        return [("topology",)]


def _renamed(wiring: FabricWiring, names: tuple[str, ...]) -> FabricWiring:
    new = dict(zip(wiring.hosts, names, strict=True))
    if taken := sorted({one.name for one in wiring.switches} & set(names)):
        raise RequestError(f"{taken[0]} is a host here and a switch there", "rename one of them")
    cables = tuple(
        replace(one, ends=(new.get(one.ends[0], one.ends[0]), new.get(one.ends[1], one.ends[1])))
        for one in wiring.cables
    )
    paths = tuple(replace(one, from_=new[one.from_], to=new[one.to]) for one in wiring.paths)
    return replace(wiring, hosts=names, cables=cables, paths=paths)
