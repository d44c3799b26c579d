"""Import a SimGrid platform file, version 4.1.

Supported: nested zones with listed routes (Full), computed routes (Floyd, Dijkstra) or a star (Cluster); hosts,
routers, links that are SHARED, SPLITDUPLEX or FATPIPE; clusters without topology (crossbar, with or without a
backbone), FAT_TREE, TORUS, DRAGONFLY. Everything else is refused with its line.
"""

from __future__ import annotations

from pathlib import Path

from weft import _core
from weft.base import catalog
from weft.base.errors import RequestError
from weft.network.fabrics.fabric_toml import to_toml
from weft.network.fabrics.simgrid.cluster import SimGridCluster
from weft.network.fabrics.simgrid.platform import Platform
from weft.network.fabrics.simgrid.xml import XmlElement, parse

_LONGEST_BYTES = 1 << 27
"""Maximum file size; platforms that list every route are large."""


def read_simgrid(path: Path) -> _core.Network:
    """The network of a platform file; raises RequestError that names the line."""
    text, shown = catalog.read(path, _LONGEST_BYTES), catalog.shown(path)
    return _network(parse(text, shown))


def simgrid_to_toml(path: Path) -> str:
    """The platform as a fabric file; raises RequestError if it is no tree of switches."""
    network, shown = read_simgrid(path), catalog.shown(path)
    try:
        return to_toml(network, f"Imported from the SimGrid platform {path.name}")
    except RequestError as error:
        raise RequestError(
            f"{shown}: cannot be written as a fabric file, which is a tree of switches: {error.message}",
            f"simulate it as it is: --on sim:{shown}",
        ) from None


def _network(platform: XmlElement) -> _core.Network:
    if platform.name != "platform" or platform.attributes.get("version") not in ("4", "4.1"):
        raise platform.wrong('not a platform of version "4.1"')
    zones = [one for one in platform.children if one.name != "config"]
    if len(zones) != 1:
        raise platform.wrong("there must be one zone or one cluster at the top")
    zone = zones[0]
    if zone.name not in ("zone", "AS", "cluster"):
        raise zone.wrong(f"<{zone.name}> is not supported at the top")
    inner = [one for one in zone.children if one.name != "prop"]
    alone = zone.name != "cluster" and [one.name for one in inner] == ["cluster"]
    root = inner[0] if alone else zone
    generated = SimGridCluster(root).generated() if root.name == "cluster" else None
    return generated or Platform().network(root)
