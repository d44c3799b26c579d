"""Cables by kind, as listed by `weft fabric show --parts`."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from weft.network.cost.items import cable_kind, cable_kinds
from weft.network.cost.money import Terms, settle
from weft.network.cost.parts import Cables, Parts, count_parts
from weft.network.cost.prices import PriceList, prices_of
from weft.network.cost.wiring import Source, read_wiring


@dataclass(frozen=True)
class CableKind:
    """Cables of a kind, at hosts or between switches; the kind is None if prices name none, the length if unknown."""

    network: int
    of_hosts: bool
    kind: str | None
    count: int
    shortest_m: float | None
    longest_m: float | None
    metres: float | None


@dataclass(frozen=True)
class PartsList:
    """Parts, with their cables by kind."""

    parts: Parts
    cable_kinds: tuple[CableKind, ...]


def parts_list(source: Source, given: PriceList | None = None) -> PartsList:
    """The parts of a network, with racks and kinds of cables from the given prices, or its own; raises RequestError."""
    wiring = read_wiring(source)
    own = prices_of(wiring.fabric)
    layout = (given and given.layout) or (own and own.layout)
    parts = count_parts(wiring, layout or None)
    return PartsList(parts, tuple(_by_kind(parts, given or own)))


def _by_kind(parts: Parts, prices: PriceList | None) -> list[CableKind]:
    alike: dict[tuple[int, bool, str | None], list[Cables]] = defaultdict(list)
    for one in parts.cables:
        alike[one.network, one.of_hosts, _kind(one, prices)].append(one)
    return [_summed(*key, cables) for key, cables in alike.items()]


def _kind(cables: Cables, prices: PriceList | None) -> str | None:
    kinds = cable_kinds(cables, prices) if prices else []
    is_told = cables.length_m is not None or not any(one.longest_m for one in kinds)
    return cable_kind(cables, kinds, settle(kinds, Terms())).name if kinds and is_told else None


def _summed(network: int, of_hosts: bool, kind: str | None, cables: list[Cables]) -> CableKind:
    count = sum(one.count for one in cables)
    lengths = [one.length_m for one in cables if one.length_m is not None]
    if not lengths:
        return CableKind(network, of_hosts, kind, count, None, None, None)
    metres = sum((one.length_m or 0.0) * one.count for one in cables)
    return CableKind(network, of_hosts, kind, count, min(lengths), max(lengths), round(metres, 2))
