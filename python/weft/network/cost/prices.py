"""Price lists: from a fabric file, a run's fabric, or a file of prices."""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

from weft import _core
from weft.base import catalog
from weft.base.errors import RequestError
from weft.network.cost.racks import Racks
from weft.runs.records.fabric_records import FabricRecord

Per: TypeAlias = Literal[
    "fixed", "node", "interface", "switch", "port", "host_port", "cable", "kwh"
]


_BY_RATE: dict[Per, str] = {
    "interface": "interfaces",
    "switch": "switches",
    "port": "ports",
    "host_port": "ports of hosts",
    "cable": "cables",
}
"""Items whose price may depend on the link's rate."""


class UnitPrice(msgspec.Struct, frozen=True):
    """The price of one item, with its year and source."""

    per: Per
    value: float
    currency: str
    year: int
    source: str
    name: str = ""
    """The name of a fixed item, model of a switch, or kind of a cable."""
    per_port: float = 0.0
    per_metre: float = 0.0
    ports: int | None = None
    longest_m: float | None = None
    rate_bits_per_s: int | None = None
    """The fastest link that it supports; None: any."""
    count: int = 1
    network: int | None = None
    """The index of the network that it holds for; None: all."""

    def serves(self, rate_bits_per_s: int) -> bool:
        """Whether it supports links of a rate."""
        return self.rate_bits_per_s is None or rate_bits_per_s <= self.rate_bits_per_s


class Power(msgspec.Struct, frozen=True):
    """Power drawn, for how long, and the price of a kilowatt-hour."""

    watts_per_node: float
    watts_per_switch: float
    watts_per_port: float
    years: float
    source: str
    per_kwh: UnitPrice


class CostSection(msgspec.Struct, frozen=True):
    """The section `[cost]`."""

    prices: tuple[UnitPrice, ...] = ()
    power: Power | None = None


class PriceList(msgspec.Struct, frozen=True):
    """Prices, and the racks that determine the lengths of cables, if known."""

    title: str
    cost: CostSection
    layout: Racks | None = None

    @property
    def all(self) -> tuple[UnitPrice, ...]:
        """Every price, including that of energy."""
        power = self.cost.power
        return self.cost.prices if power is None else (*self.cost.prices, power.per_kwh)

    @property
    def at_any_rate(self) -> tuple[str, ...]:
        """Items whose prices name no rate."""
        found = (one.per for one in self.cost.prices if one.rate_bits_per_s is None)
        return tuple(dict.fromkeys(_BY_RATE[per] for per in found if per in _BY_RATE))

    def of(self, per: Per, network: int = 0) -> list[UnitPrice]:
        """The prices of a kind that hold for a network."""
        return [
            one for one in self.cost.prices if one.per == per and one.network in (None, network)
        ]


def read_prices(name: str) -> PriceList:
    """The prices of a file or catalogue name; raises RequestError."""
    path = catalog.find("price", name)
    text = _core.load_prices(catalog.read(path), catalog.shown(path))
    return msgspec.json.decode(text, type=PriceList)


def prices_of(fabric: FabricRecord | None) -> PriceList | None:
    """The prices of a resolved fabric, or its racks alone; None if it has neither."""
    if fabric is None:
        return None
    own = {"cost": fabric.get("cost", {}), "layout": fabric.get("layout")}
    found = msgspec.convert({"title": f"of {fabric['name']}"} | own, PriceList)
    return found if found.all or found.layout else None


def chosen_prices(name: str, fabric: FabricRecord | None, given: PriceList | None) -> PriceList:
    """The given prices, or else the fabric's own, with the racks of either; raises RequestError if there are none."""
    own = prices_of(fabric)
    if given is not None:
        layout = given.layout or (own.layout if own else None)
        return msgspec.structs.replace(given, layout=layout)
    if own is None or not own.all:
        raise RequestError(f"{name}: {_why_none(fabric)}", _where_from())
    return own


def _why_none(fabric: FabricRecord | None) -> str:
    if fabric and fabric.get("cost"):
        return "its prices have neither year nor source, as in runs of before"
    return "nothing says what its parts cost"


def _where_from() -> str:
    known = ", ".join(catalog.names("price"))
    return f"write [cost] into its file, or give --prices FILE; the catalogue has {known}"
