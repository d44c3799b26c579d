"""A fabric file with open numbers: where each parameter of a twin stands in it."""

from __future__ import annotations

import copy
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import tomlkit

from weft import _core
from weft.base.statistics import Floats
from weft.measure.testbed.computed.network import SimulatedNetwork
from weft.network.fabrics.document import FabricDocument
from weft.network.fabrics.spec import SimSpec, Value
from weft.understand.curve.curve import Ints
from weft.understand.xray.flows import Members, is_in

Place = tuple[str | int, ...]
"""Keys and indices that lead to a value in a fabric file."""
Mask = npt.NDArray[np.bool_]
UNLIMITED = "1 Tb/s"
"""Rate of the unlimited direction of a link with one limited direction."""
MODEL = "model"
"""Prefix of the places of parameters that have no key in a fabric file."""


@dataclass(frozen=True)
class TwinElement:
    """A part of the network that flows use in one direction: those that leave or enter `members`, or all that pass."""

    members: Members
    way: str
    parts: tuple[Members, ...] = ()

    def crossed_by(self, src: Ints, dst: Ints) -> Mask:
        """Mask of the flows that use it."""
        inside = is_in(self.members)
        own, other = (dst, src) if self.way in ("in", "received") else (src, dst)
        crossed: Mask = inside[own].copy()
        if self.way in ("out", "in"):
            crossed &= ~inside[other]
        for part in self.parts:
            crossed &= ~(is_in(part)[own] & is_in(part)[other])
        return crossed


@dataclass(frozen=True)
class OpenParameter:
    """An open rate or delay with all its places. `elements` are the parts of the network that each have this rate."""

    name: str
    unit: str
    places: tuple[Place, ...]
    elements: tuple[TwinElement, ...] = ()


@dataclass(frozen=True)
class Draft:
    """A fabric file in preparation: its open rates and delays, and the rates that it leaves out because nothing was
    seen to fill the links."""

    table: dict[str, Any]
    hosts: list[str]
    rates: list[OpenParameter] = field(default_factory=list)
    delays: list[OpenParameter] = field(default_factory=list)
    unlimited: list[OpenParameter] = field(default_factory=list)

    @cached_property
    def _template(self) -> str:
        marked = copy.deepcopy(self.table)
        for at, parameter in enumerate(self.rates):
            for place in parameter.places:
                put(marked, place, f"@{at}@")
        for entry in (*marked["hosts"], *marked.get("overrides", [])):
            if "link" in entry:
                entry["link"] = _on_one_line(entry["link"])
        return tomlkit.dumps(marked)

    def text(self, values: Sequence[float] | Floats) -> str:
        """The file with a value for each parameter, in its unit."""
        found = self._template
        for at, (parameter, value) in enumerate(zip(self.rates, values, strict=True)):
            found = found.replace(f"@{at}@", written(value, parameter.unit))
        return found

    def with_delays_us(self, values: Sequence[float]) -> Draft:
        """The draft with these values of its delays."""
        table = copy.deepcopy(self.table)
        for delay, value in zip(self.delays, values, strict=True):
            for place in delay.places:
                put(table, place, written(value, "us"))
        return replace(self, table=table)

    def limited_at(self, more: Collection[OpenParameter]) -> Draft:
        """The draft with limits on some of its unlimited links."""
        table = copy.deepcopy(self.table)
        for one in more:
            for place in one.places:
                entry = at_place(table, place[:-1])
                entry |= {"rate": UNLIMITED, "rate_back": UNLIMITED} | entry
        unlimited = [one for one in self.unlimited if one not in more]
        return replace(self, table=table, rates=[*self.rates, *more], unlimited=unlimited)

    def network(
        self, values: Sequence[float] | Floats, model: Mapping[str, Value] | None = None
    ) -> SimulatedNetwork:
        """The network with these values, ready to simulate."""
        core = _core.Network.declared(self.text(values), "twin", 1.0)
        return SimulatedNetwork(core, SimSpec("twin", dict(model or {})), {"scale": 1.0})


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
    """Set the value at a place."""
    at_place(table, place[:-1])[place[-1]] = value


def at_place(table: Any, place: Place) -> Any:
    """The value at a place."""
    for key in place:
        table = table[key]
    return table


def written(value: float, unit: str) -> str:
    """A value in the form of fabric files: 9.4137 -> "9.4137 Mb/s"."""
    return f"{value:.6g} {unit}" if value < 1e6 else f"{value:.0f} {unit}"
