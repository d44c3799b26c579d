"""Read a SimGrid platform of nested zones, element by element."""

from __future__ import annotations

from functools import partial

from weft import _core
from weft.network.fabrics.listing import FabricListing
from weft.network.fabrics.simgrid.cluster import SimGridCluster
from weft.network.fabrics.simgrid.links import PlatformLinks
from weft.network.fabrics.simgrid.star import StarReader
from weft.network.fabrics.simgrid.tables import Dijkstra, Floyd, Full
from weft.network.fabrics.simgrid.xml import XmlElement
from weft.network.fabrics.simgrid.zones import Stretch, Zones

_MOST_HOSTS = 2000
"""Every route is listed: with this many hosts, four million."""
_TABLES = {
    "none": Full,
    "full": Full,
    "floyd": Floyd,
    "dijkstra": Dijkstra,
    "dijkstracache": Dijkstra,
}
_YES = ("YES", "TRUE", "1")


class Platform:
    """The parts of a platform read so far."""

    def __init__(self) -> None:
        self._listing = FabricListing()
        self._links = PlatformLinks(self._listing)
        self._zones = Zones()
        self._hosts: list[str] = []

    def network(self, root: XmlElement) -> _core.Network:
        """The network of the outermost zone or cluster; raises RequestError that names the line."""
        if root.name == "cluster":
            self._read_cluster(root, None, "")
        else:
            self._read_zone(root, None)
        if len(self._hosts) < 2:
            raise root.wrong("there must be two hosts at least")
        for i, src in enumerate(self._hosts):
            for j, dst in enumerate(self._hosts):
                links = self._zones.way(src, dst) if i != j else None
                if links is not None:
                    self._listing.routes[i, j] = links
        return self._listing.network(root.get("id"), self._hosts, root.origin)

    def _read_zone(self, zone: XmlElement, around: str | None) -> None:
        name = zone.get("id")
        self._add_node(around, zone, name)
        routing = zone.attributes.get("routing", "Full")
        if routing.lower() == "cluster":
            add_node, add_host = (partial(add, name) for add in (self._add_node, self._add_host))
            reader = StarReader(self._links, self._listing, add_node, add_host)
            self._zones.add_ways(name, reader.read(zone))
            return
        if routing.lower() not in _TABLES:
            raise zone.wrong(
                f'routing="{routing}": only Full, Floyd, Dijkstra, DijkstraCache, Cluster and None are supported'
            )
        table = _TABLES[routing.lower()](zone, self._zones)
        self._zones.add_ways(name, table)
        _check_nodes(zone)
        for element in zone.children:
            self._read(element, name, table)

    def _read(self, element: XmlElement, zone: str, table: Full) -> None:
        match element.name:
            case "host":
                self._add_host(zone, element, element.get("id"))
                table.add_node(element.get("id"))
            case "router":
                self._add_node(zone, element, element.get("id"))
                table.add_node(element.get("id"))
            case "zone" | "AS":
                table.add_node(element.get("id"))
                self._read_zone(element, zone)
            case "cluster":
                table.add_node(element.get("id"))
                self._read_cluster(element, zone, f"{element.get('id')} ")
            case "link":
                self._links.declare(element)
            case "route":
                self._read_route(element, table)
            case "zoneRoute" | "ASroute":
                self._read_zone_route(element, table)
            case "prop":
                pass
            case other:
                raise element.wrong(f"<{other}> is not supported in a zone")

    def _read_cluster(self, element: XmlElement, around: str | None, label: str) -> None:
        cluster = SimGridCluster(element)
        self._add_node(around, element, cluster.name)
        for host in cluster.hosts:
            self._add_host(cluster.name, element, host)
        if cluster.router:
            self._add_node(cluster.name, element, cluster.router)
        self._zones.add_ways(cluster.name, cluster.zone(self._listing, label))

    def _read_route(self, route: XmlElement, table: Full) -> None:
        src, dst = route.get("src"), route.get("dst")
        for end in (src, dst):
            if not table.is_node(end):
                raise route.wrong(f"no host {end!r} before this route")
            if self._zones.is_zone(end):
                raise route.wrong(f"{end!r} is a zone: <zoneRoute> leads there")
        self._list(route, table, (src, dst), (src, dst))

    def _read_zone_route(self, route: XmlElement, table: Full) -> None:
        ends = route.get("src"), route.get("dst")
        gateways = route.get("gw_src"), route.get("gw_dst")
        for zone, gateway in zip(ends, gateways, strict=True):
            if not (table.is_node(zone) and self._zones.is_zone(zone)):
                raise route.wrong(f"no zone {zone!r} before this route")
            if gateway not in self._zones or not self._zones.is_inside(gateway, zone):
                raise route.wrong(f"no host or router {gateway!r} in the zone {zone!r}")
        self._list(route, table, ends, gateways)

    def _list(
        self, route: XmlElement, table: Full, ends: tuple[str, str], gateways: tuple[str, str]
    ) -> None:
        """Add a route, and its reverse unless it has none."""
        (src, dst), (first, last) = ends, gateways
        crossed = [self._links.crossed(part) for part in route.children if part.name != "prop"]
        if not crossed:
            raise route.wrong(f"a route from {src} to {dst} without links")
        there, back = zip(*crossed, strict=True)
        ways = [(src, dst, Stretch(there, first, last))]
        if route.attributes.get("symmetrical", "YES").upper() in _YES and src != dst:
            ways.append((dst, src, Stretch(back[::-1], last, first)))
        for one, other, stretch in ways:
            if table.is_listed(one, other):
                raise route.wrong(f"a second route from {one} to {other}")
            table.add(one, other, stretch)

    def _add_node(self, around: str | None, element: XmlElement, name: str) -> None:
        if name in self._zones:
            raise element.wrong(
                f"a second {name!r}: hosts, routers and zones need names of their own"
            )
        self._zones.add_node(name, around)

    def _add_host(self, around: str, element: XmlElement, name: str) -> None:
        if element.attributes.get("state_file"):
            raise element.wrong("state_file: hosts that come and go are not supported")
        self._add_node(around, element, name)
        self._hosts.append(name)
        if len(self._hosts) > _MOST_HOSTS:
            raise element.wrong(
                f"more than {_MOST_HOSTS} hosts, and a route for each two of them; "
                "sim:crossbar(hosts=...), sim:fat-tree(...) and others take more"
            )


def _check_nodes(zone: XmlElement) -> None:
    """Refuse hosts and routers of a zone that contains zones: SimGrid finds no routes to them."""
    if any(element.name in ("zone", "AS", "cluster") for element in zone.children):
        for element in zone.children:
            if element.name in ("host", "router"):
                raise element.wrong(
                    f"<{element.name}> beside zones: SimGrid finds no way there; put it in a zone of its own"
                )
