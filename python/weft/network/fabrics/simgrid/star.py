"""A SimGrid zone in which every host has links to and from the centre: clusters without topology."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from weft.network.fabrics.listing import FabricListing
from weft.network.fabrics.simgrid.links import PlatformLinks
from weft.network.fabrics.simgrid.xml import BITS, SECONDS, XmlElement, hosts_of_radical
from weft.network.fabrics.simgrid.zones import Stretch


class Star:
    """A route goes up the source's links, then down the destination's.

    A router has no links. A link in both halves, such as a backbone, is crossed once.
    """

    def __init__(self) -> None:
        self._up: dict[str, tuple[int, ...]] = {}
        self._down: dict[str, tuple[int, ...]] = {}

    def add(self, node: str, up: Sequence[int] = (), down: Sequence[int] = ()) -> None:
        """Add a host or router with its links to the centre and back, in the order crossed."""
        self._up[node], self._down[node] = tuple(up), tuple(down)

    def __contains__(self, node: str) -> bool:
        return node in self._up

    def stretch(self, src: str, dst: str) -> Stretch | None:
        if src not in self._up or dst not in self._down:
            return None
        return Stretch(tuple(dict.fromkeys(self._up[src] + self._down[dst])), src, dst)


@dataclass
class StarReader:
    """Reads a <zone routing="Cluster">: hosts with a <host_link> each, and cabinets of hosts with their own links.

    `_add_node` and `_add_host` are called for each element with its name.
    """

    _links: PlatformLinks
    _listing: FabricListing
    _add_node: Callable[[XmlElement, str], object]
    _add_host: Callable[[XmlElement, str], object]
    _star: Star = field(default_factory=Star)
    _backbone: list[int] = field(default_factory=list)

    def read(self, zone: XmlElement) -> Star:
        """The routes of the zone; raises RequestError. A backbone is on all routes, wherever it occurs in the file."""
        for element in zone.children:
            self._read(element)
        for element in zone.children:
            if element.name == "host_link":
                lanes = (self._links.named(element, end) for end in ("up", "down"))
                self._join(element.get("id"), *lanes)
            elif element.name == "cabinet":
                self._read_cabinet(element)
        for element in zone.children:
            if element.name == "host" and element.get("id") not in self._star:
                raise element.wrong(f"no <host_link> for {element.get('id')!r} in this zone")
        return self._star

    def _read(self, element: XmlElement) -> None:
        match element.name:
            case "host":
                self._add_host(element, element.get("id"))
            case "router":
                self._add_node(element, element.get("id"))
                self._star.add(element.get("id"))
            case "link":
                self._links.declare(element)
            case "backbone":
                if self._backbone:
                    raise element.wrong("a second <backbone> in this zone")
                self._links.declare(element)
                self._backbone = [self._links.named(element, "id")]
            case "host_link" | "cabinet" | "prop":
                pass
            case other:
                raise element.wrong(f'<{other}> is not supported in a zone with routing="Cluster"')

    def _read_cabinet(self, cabinet: XmlElement) -> None:
        rate_bps = cabinet.quantity("bw", BITS)
        delay_s = cabinet.quantity("lat", SECONDS, "0")
        for host in hosts_of_radical(cabinet):
            self._add_host(cabinet, host)
            lanes = (self._listing.add(f"{host} {end}", rate_bps, delay_s) for end in ("out", "in"))
            self._join(host, *lanes)

    def _join(self, host: str, up: int, down: int) -> None:
        self._star.add(host, [up, *self._backbone], [*self._backbone, down])
