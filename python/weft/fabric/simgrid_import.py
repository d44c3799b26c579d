"""A SimGrid platform file, version 4.1, as a network: one zone with explicit routes, or one cluster.

What is read: hosts, links that are SHARED or SPLITDUPLEX, routes, clusters without a topology (crossbar, with or
without a backbone), FAT_TREE with one cable each, TORUS. Everything else is refused, by its line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from xml.parsers import expat

from weft import _core
from weft.errors import RequestError
from weft.fabric.fabric_toml import to_toml
from weft.plan import catalog

_QUANTITY = re.compile(r"\s*(?P<number>[-+.\deE]*\d\.?)\s*(?P<unit>[A-Za-z]*)\s*")
_BITS = {"": 8.0, "bps": 1.0, "Bps": 8.0}
for _prefix, _size in (("k", 1e3), ("M", 1e6), ("G", 1e9), ("T", 1e12)):
    _BITS |= {f"{_prefix}bps": _size, f"{_prefix}Bps": 8 * _size}
for _prefix, _size in (("Ki", 2.0**10), ("Mi", 2.0**20), ("Gi", 2.0**30), ("Ti", 2.0**40)):
    _BITS |= {f"{_prefix}bps": _size, f"{_prefix}Bps": 8 * _size}
_SECONDS = {"": 1.0, "s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9, "ps": 1e-12}
_MOST_ROUTES = 4_000_000
_LONGEST_BYTES = 1 << 27
"""Platforms that list every route are long."""


@dataclass
class Element:
    """An element with its line."""

    name: str
    line: int
    attributes: dict[str, str]
    children: list[Element] = field(default_factory=list)


def read_simgrid(path: Path) -> _core.Network:
    """The network of a platform file; raises RequestError that names the line."""
    text, shown = catalog.read(path, _LONGEST_BYTES), catalog.shown(path)
    return _Reader(shown).network(_parse(text, shown))


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


def _parse(text: str, origin: str) -> Element:
    root = Element("", 0, {})
    stack = [root]
    parser = expat.ParserCreate()

    def start(name: str, attributes: dict[str, str]) -> None:
        element = Element(name, parser.CurrentLineNumber, attributes)
        stack[-1].children.append(element)
        stack.append(element)

    parser.StartElementHandler = start
    parser.EndElementHandler = lambda _: stack.pop()
    try:
        parser.Parse(text, True)
    except expat.ExpatError as error:
        raise RequestError(
            f"{origin}:{error.lineno}: not XML: {expat.ErrorString(error.code)}"
        ) from None
    return root.children[0]


@dataclass
class _Reader:
    """Turns elements into constraints and routes."""

    origin: str
    names: list[str] = field(default_factory=list)
    capacities: list[float] = field(default_factory=list)
    delays: list[float] = field(default_factory=list)
    links: dict[str, tuple[int, int]] = field(default_factory=dict)
    """By id the constraints of the link, up and down; the same where both directions share it."""

    def network(self, platform: Element) -> _core.Network:
        if platform.name != "platform" or platform.attributes.get("version") not in ("4", "4.1"):
            raise self._wrong(platform, 'not a platform of version "4.1"')
        zones = [one for one in platform.children if one.name != "config"]
        if len(zones) != 1:
            raise self._wrong(platform, "there must be one zone or one cluster at the top")
        inner = [one for one in zones[0].children if one.name != "prop"]
        if zones[0].name == "cluster":
            return self._cluster(zones[0])
        if zones[0].name != "zone":
            raise self._wrong(zones[0], f"<{zones[0].name}> is not supported at the top")
        if [one.name for one in inner] == ["cluster"]:
            return self._cluster(inner[0])
        return self._zone(zones[0], inner)

    def _zone(self, zone: Element, inner: list[Element]) -> _core.Network:
        if zone.attributes.get("routing", "Full") != "Full":
            raise self._wrong(
                zone, f'routing="{zone.attributes["routing"]}": only "Full" is supported'
            )
        hosts: dict[str, int] = {}
        routes: dict[tuple[int, int], list[int]] = {}
        for element in inner:
            if element.name == "host":
                hosts[self._get(element, "id")] = len(hosts)
            elif element.name == "link":
                self._link(element)
            elif element.name == "route":
                routes |= dict(self._route(element, hosts))
            else:
                raise self._wrong(element, f"<{element.name}> is not supported in a zone")
        if len(hosts) < 2:
            raise self._wrong(zone, "there must be two hosts at least")
        return self._explicit(self._get(zone, "id"), list(hosts), routes)

    def _link(self, element: Element) -> None:
        policy = element.attributes.get("sharing_policy", "SHARED")
        if policy not in ("SHARED", "SPLITDUPLEX"):
            raise self._wrong(
                element, f'sharing_policy="{policy}": only SHARED and SPLITDUPLEX are supported'
            )
        name = self._get(element, "id")
        up = self._add(name if policy == "SHARED" else f"{name} up", element)
        down = up if policy == "SHARED" else self._add(f"{name} down", element)
        self.links[name] = (up, down)

    def _add(self, name: str, element: Element, prefix: str = "") -> int:
        rate = "bandwidth" if element.name == "link" else f"{prefix}bw"
        delay = "latency" if element.name == "link" else f"{prefix}lat"
        self.names.append(name)
        self.capacities.append(self._quantity(element, rate, _BITS))
        self.delays.append(self._quantity(element, delay, _SECONDS, "0"))
        return len(self.names) - 1

    def _route(
        self, element: Element, hosts: dict[str, int]
    ) -> Iterator[tuple[tuple[int, int], list[int]]]:
        ends = self._get(element, "src"), self._get(element, "dst")
        for end in ends:
            if end not in hosts:
                raise self._wrong(element, f"no host {end!r} before this route")
        there, back = [], []
        for part in element.children:
            name = self._get(part, "id")
            if part.name != "link_ctn" or name not in self.links:
                raise self._wrong(part, f"no link {name!r} before this route")
            up, down = self.links[name]
            if part.attributes.get("direction") == "DOWN":
                up, down = down, up
            there.append(up)
            back.append(down)
        src, dst = (hosts[end] for end in ends)
        yield (src, dst), there
        if element.attributes.get("symmetrical", "YES").upper() in ("YES", "TRUE", "1"):
            yield (dst, src), back[::-1]

    def _cluster(self, element: Element) -> _core.Network:
        topology = element.attributes.get("topology", "FLAT")
        for name in ("limiter_link", "router_id"):
            if element.attributes.get(name):
                raise self._wrong(element, f"{name} is not supported")
        policy = element.attributes.get("sharing_policy", "SPLITDUPLEX")
        if policy != "SPLITDUPLEX":
            raise self._wrong(
                element, f'sharing_policy="{policy}": only SPLITDUPLEX is supported in a cluster'
            )
        numbers = self._radical(element)
        if topology == "FLAT":
            return self._crossbar(element, numbers)
        rate = self._quantity(element, "bw", _BITS)
        delay_ns = self._quantity(element, "lat", _SECONDS, "0") * 1e9
        common = {"rate": f"{rate:.0f} b/s", "delay": f"{delay_ns:.0f} ns", "framing": "bare"}
        shape = self._get(element, "topo_parameters")
        if topology == "TORUS":
            return self._generated(
                element, "torus", common | {"dims": shape.replace(",", "x")}, numbers
            )
        if topology == "FAT_TREE":
            _, down, up, cables = (part.strip() for part in (shape + ";;;").split(";")[:4])
            if set(cables.replace(",", "")) - {"1"}:
                raise self._wrong(element, f"{cables} cables a level: only one each is supported")
            values = {"down": down.replace(",", "x"), "up": up.replace(",", "x")}
            return self._generated(element, "xgft", common | values, numbers)
        raise self._wrong(
            element, f'topology="{topology}": only FAT_TREE, TORUS and none are supported'
        )

    def _generated(
        self, element: Element, name: str, values: dict[str, str], numbers: list[int]
    ) -> _core.Network:
        try:
            network = _core.Network.generated(name, values, 1.0)
        except ValueError as error:
            raise self._wrong(element, str(error)) from None
        assert network is not None
        if len(network.hosts()) != len(numbers):
            raise self._wrong(
                element,
                f"topo_parameters make {len(network.hosts())} hosts, radical {len(numbers)}",
            )
        return network

    def _crossbar(self, element: Element, numbers: list[int]) -> _core.Network:
        prefix, suffix = (element.attributes.get(name, "") for name in ("prefix", "suffix"))
        hosts = [f"{prefix}{number}{suffix}" for number in numbers]
        up = [self._add(f"{host} out", element) for host in hosts]
        down = [self._add(f"{host} in", element) for host in hosts]
        backbone = []
        if element.attributes.get("bb_bw"):
            backbone = [self._add("backbone", element, "bb_")]
        if len(hosts) ** 2 > _MOST_ROUTES:
            raise self._wrong(
                element, f"{len(hosts)} hosts; sim:crossbar(hosts=...) simulates so many"
            )
        routes = {
            (src, dst): [up[src], *backbone, down[dst]]
            for src in range(len(hosts))
            for dst in range(len(hosts))
            if src != dst
        }
        return self._explicit(self._get(element, "id"), hosts, routes)

    def _explicit(
        self, name: str, hosts: list[str], routes: dict[tuple[int, int], list[int]]
    ) -> _core.Network:
        try:
            return _core.Network.explicit(
                name,
                hosts,
                list(zip(self.names, self.capacities, self.delays, strict=True)),
                [(src, dst, route) for (src, dst), route in routes.items()],
            )
        except ValueError as error:
            raise RequestError(f"{self.origin}: {error}") from None

    def _radical(self, element: Element) -> list[int]:
        found: list[int] = []
        for part in self._get(element, "radical").split(","):
            first, _, last = part.partition("-")
            if not first.strip().isdecimal() or (last and not last.strip().isdecimal()):
                raise self._wrong(element, f"radical {part!r} is not a range such as 0-15")
            end = int(last or first)
            if end - int(first) >= 1 << 20:
                raise self._wrong(element, f"radical {part!r}: more hosts than can be simulated")
            found += range(int(first), end + 1)
        return found

    def _quantity(
        self, element: Element, name: str, units: dict[str, float], default: str | None = None
    ) -> float:
        text = element.attributes.get(name, default)
        form = _QUANTITY.fullmatch(text) if text is not None else None
        try:
            value = float(form["number"]) * units[form["unit"]] if form else -1.0
        except (KeyError, ValueError):
            value = -1.0
        if value < 0 or (units is _BITS and value == 0):
            known = ", ".join(filter(None, units))
            raise self._wrong(
                element, f"{name} = {text!r}: must be a positive number with a unit of {known}"
            )
        return value

    def _get(self, element: Element, name: str) -> str:
        value = element.attributes.get(name)
        if not value:
            raise self._wrong(element, f"<{element.name}> without {name}")
        return value

    def _wrong(self, element: Element, why: str) -> RequestError:
        return RequestError(f"{self.origin}:{element.line}: {why}")
