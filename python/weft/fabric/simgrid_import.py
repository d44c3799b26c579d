"""A SimGrid platform file, version 4.1, as a network: one zone with explicit routes, or one cluster.

What is read: hosts, links that are SHARED, SPLITDUPLEX or FATPIPE, routes, clusters without a topology (crossbar, with
or without a backbone), FAT_TREE, TORUS, DRAGONFLY. Everything else is refused, by its line.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from weft import _core
from weft.errors import RequestError
from weft.fabric.fabric_toml import to_toml
from weft.fabric.listing import Listing
from weft.fabric.simgrid_cluster import read_cluster
from weft.fabric.simgrid_xml import BITS, SECONDS, Element, parse
from weft.plan import catalog

_LONGEST_BYTES = 1 << 27
"""Platforms that list every route are long."""


def read_simgrid(path: Path) -> _core.Network:
    """The network of a platform file; raises RequestError that names the line."""
    text, shown = catalog.read(path, _LONGEST_BYTES), catalog.shown(path)
    return _network(parse(text, shown))


def simgrid_to_toml(path: Path) -> str:
    """The platform as a fabric file; raises RequestError where it is no tree of switches."""
    network, shown = read_simgrid(path), catalog.shown(path)
    try:
        return to_toml(network, f"Imported from the SimGrid platform {path.name}")
    except RequestError as error:
        raise RequestError(
            f"{shown}: cannot be written as a fabric file, which is a tree of switches: {error.message}",
            f"simulate it as it is: --on sim:{shown}",
        ) from None


def _network(platform: Element) -> _core.Network:
    if platform.name != "platform" or platform.attributes.get("version") not in ("4", "4.1"):
        raise platform.wrong('not a platform of version "4.1"')
    zones = [one for one in platform.children if one.name != "config"]
    if len(zones) != 1:
        raise platform.wrong("there must be one zone or one cluster at the top")
    zone = zones[0]
    inner = [one for one in zone.children if one.name != "prop"]
    if zone.name == "cluster":
        return read_cluster(zone)
    if zone.name != "zone":
        raise zone.wrong(f"<{zone.name}> is not supported at the top")
    if [one.name for one in inner] == ["cluster"]:
        return read_cluster(inner[0])
    return _Zone(zone).network(inner)


class _Zone:
    """A zone that lists its routes."""

    def __init__(self, zone: Element) -> None:
        self._zone = zone
        self._listing = Listing()
        self._hosts: dict[str, int] = {}
        self._links: dict[str, tuple[int, int]] = {}
        """By id the constraints of the link, up and down; the same where both directions share it."""

    def network(self, inner: list[Element]) -> _core.Network:
        routing = self._zone.attributes.get("routing", "Full")
        if routing != "Full":
            raise self._zone.wrong(f'routing="{routing}": only "Full" is supported')
        for element in inner:
            if element.name == "host":
                self._hosts[element.get("id")] = len(self._hosts)
            elif element.name == "link":
                self._link(element)
            elif element.name == "route":
                self._listing.routes |= dict(self._route(element))
            else:
                raise element.wrong(f"<{element.name}> is not supported in a zone")
        if len(self._hosts) < 2:
            raise self._zone.wrong("there must be two hosts at least")
        return self._listing.network(self._zone.get("id"), list(self._hosts), self._zone.origin)

    def _link(self, element: Element) -> None:
        policy = element.attributes.get("sharing_policy", "SHARED")
        if policy not in ("SHARED", "SPLITDUPLEX", "FATPIPE"):
            raise element.wrong(
                f'sharing_policy="{policy}": only SHARED, SPLITDUPLEX and FATPIPE are supported'
            )
        name = element.get("id")
        rate_bps = element.quantity("bandwidth", BITS)
        delay_s = element.quantity("latency", SECONDS, "0")
        both = [f"{name} up", f"{name} down"] if policy == "SPLITDUPLEX" else [name, name]
        is_shared = policy != "FATPIPE"
        up, down = (self._listing.add(one, rate_bps, delay_s, is_shared) for one in both)
        self._links[name] = (up, down)

    def _route(self, element: Element) -> Iterator[tuple[tuple[int, int], list[int]]]:
        ends = element.get("src"), element.get("dst")
        for end in ends:
            if end not in self._hosts:
                raise element.wrong(f"no host {end!r} before this route")
        there, back = [], []
        for part in element.children:
            name = part.get("id")
            if part.name != "link_ctn" or name not in self._links:
                raise part.wrong(f"no link {name!r} before this route")
            up, down = self._links[name]
            if part.attributes.get("direction") == "DOWN":
                up, down = down, up
            there.append(up)
            back.append(down)
        src, dst = (self._hosts[end] for end in ends)
        yield (src, dst), there
        if element.attributes.get("symmetrical", "YES").upper() in ("YES", "TRUE", "1"):
            yield (dst, src), back[::-1]
