"""Networks from Python: hosts, limits, routes, and other tools' formats."""

from __future__ import annotations

import os
from functools import cached_property

from weft.base.errors import RequestError
from weft.base.nodeset import fold
from weft.base.quantity import format_mbps
from weft.faces.api.columns.table import Table
from weft.faces.api.columns.text import Said
from weft.faces.api.public.function import public
from weft.faces.api.run import RunSource, opened
from weft.measure.testbed.computed.network import open_simulated
from weft.network.fabrics.describe import NAMED, Description
from weft.network.fabrics.dot import to_dot
from weft.network.fabrics.load import load_fabric
from weft.network.fabrics.simgrid.exporter import to_simgrid
from weft.network.fabrics.tables import limits_table


class Fabric(Said):
    """A network: declared in the catalogue or a file, generated, or a SimGrid platform. Made by `weft.fabric`."""

    def __init__(self, name: str, scale: float = 1.0) -> None:
        self.source, self.scale = name, scale
        self.testbed = f"sim:{name}"
        testbed = open_simulated(name, scale)
        self.description = Description(testbed.model, testbed.losses)

    @property
    def name(self) -> str:
        """The network's name."""
        return self.description.network.name

    @property
    def hosts(self) -> list[str]:
        """The names of its hosts."""
        return self.description.hosts

    @cached_property
    def limits(self) -> Table:
        """All limits on transfers (shape: limits): the rate on the wire, null if unlimited, and the delay behind it."""
        return Table.of_results("limits", limits_table(self.description.hops()))

    @public
    def way(self, src: str, dst: str) -> Table:
        """The limits from one host to another, in order; raises RequestError for an unknown host or if there is no
        route."""
        return Table.of_results("limits", limits_table(self.description.way(src, dst)))

    def to_simgrid(self) -> str:
        """The network as a SimGrid platform."""
        return to_simgrid(self.description)

    @public
    def to_dot(self, run: RunSource | None = None) -> str:
        """A declared network as a Graphviz graph, its links coloured by their load in a run."""
        return declared_dot(self.source, self.scale, run)

    def lines(self) -> list[str]:
        """Its hosts, and its limits by rate."""
        hosts, rates = self.hosts, self.description.by_rate()
        slowest = [
            f"{count} limits of {format_mbps(rate)}"
            if rate is not None
            else f"{count} without limit"
            for rate, count in rates[:NAMED]
        ]
        lost = [one.text for one in self.description.losses]
        return [f"{self.name}: {len(hosts):,} hosts, {fold(hosts)}", *slowest, *lost]


def declared_dot(name: str, scale: float, run: RunSource | None) -> str:
    """A declared network as a Graphviz graph; raises RequestError for generated ones."""
    loads = None if run is None else opened(run).stored
    return to_dot(load_fabric(name, scale), loads)


def fabric(name: str | os.PathLike[str], *, scale: float = 1.0) -> Fabric:
    """A network: `weft.fabric("two-racks").way("n1", "n8")`.

    name: of the catalogue, the path of a TOML file or of a SimGrid file, or a generator such as "torus(dims=4x4)".
    scale: multiplies every rate. Raises RequestError for an unknown or invalid network.
    """
    text = os.fspath(name)
    if text.startswith(("node:", "lab:")):
        raise RequestError(f"{text}: not a network", "give a fabric's name, such as two-racks")
    return Fabric(text.removeprefix("sim:"), scale)
