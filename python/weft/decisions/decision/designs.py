"""The designs of a request: each network as data, and its cost."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import msgspec
import numpy as np

from weft import _core
from weft.base.errors import RequestError
from weft.decisions.decision.ranges import MOST_DESIGNS, Ranges
from weft.decisions.decision.request import DecisionRequest, DesignEntry, MoneyEntry, Prices
from weft.network.cost.bill import NetworkBill, bill_of
from weft.network.cost.money import Terms
from weft.network.cost.prices import PriceList, prices_of, read_prices
from weft.network.cost.wiring import Source
from weft.network.fabrics.changes.change import apply_all
from weft.network.fabrics.changes.parse import parse_change
from weft.network.fabrics.document import FabricDocument
from weft.network.fabrics.spec import parse_spec
from weft.plan.load import toml_text
from weft.simulation.sweep.task import Network, open_network

_TASK_S = 0.1
"""Typical time to simulate a workload on a thousand hosts, including points of its parameters
(bench/decide/decide.py)."""


@dataclass(frozen=True)
class Design:
    """A network that can be simulated. `bill` is None if its cost is unknown; `host_rate_bits_per_s` is the slowest
    host's, 0 if unknown."""

    name: str
    entry: str
    network: Network
    hosts: int
    bill: NetworkBill | None
    routing: str
    host_rate_bits_per_s: int


@dataclass(frozen=True)
class RefusedDesign:
    """A design that cannot be simulated, and the reason."""

    name: str
    why: str
    hint: str = ""


def designs_of(request: DecisionRequest) -> tuple[list[Design], list[RefusedDesign]]:
    """All designs, and those that cannot be built; raises RequestError if there are too many, or their prices cannot be
    compared."""
    ranges = [Ranges(entry.fabric) for entry in request.designs]
    _refuse_too_many(sum(one.count for one in ranges), len(request.workloads))
    found: list[Design] = []
    refused: list[RefusedDesign] = []
    for entry, of_entry in zip(request.designs, ranges, strict=True):
        for fabric, told in of_entry.networks():
            name = f"{entry.name} {told}".strip()
            try:
                found.append(_design(request, entry, name, fabric))
            except PriceError as error:
                raise RequestError(error.message, error.hint) from None
            except RequestError as error:
                refused.append(RefusedDesign(name, error.message, error.hint))
    _refuse_mixed_money(found)
    return found, refused


class PriceError(RequestError):
    """Prices that cannot be added up, so that the whole request is invalid."""


def _design(request: DecisionRequest, entry: DesignEntry, name: str, fabric: str) -> Design:
    network, source = _network(entry, fabric)
    testbed = open_network(network)
    hosts = len(testbed.nodes)
    if request.hosts and hosts < request.hosts:
        raise RequestError(f"it has {hosts} hosts", f"{request.hosts} take part")
    prices = entry.prices if entry.prices is not None else request.prices
    bill = _bill(name, source, prices, request.money)
    rate = _host_rate(testbed.model.wiring(), hosts)
    return Design(name, entry.name, network, hosts, bill, testbed.model.routing, rate)


def _host_rate(wiring: tuple[int, int, bytes, bytes, bytes, bytes] | None, hosts: int) -> int:
    if wiring is None:
        return 0
    ends, rates = (
        np.frombuffer(wiring[3], np.uint32).reshape(-1, 2),
        np.frombuffer(wiring[5], np.uint64),
    )
    of_hosts = rates[(ends < hosts).any(axis=1)]
    return int(of_hosts.min(initial=np.iinfo(np.int64).max)) if len(of_hosts) else 0


def _network(entry: DesignEntry, fabric: str) -> tuple[Network, Source]:
    """The network as data, and in the form that bills need."""
    spec = parse_spec(fabric)
    if spec.name in {name for name, _ in _core.Network.generators()}:
        if entry.change:
            raise RequestError(
                f"{entry.name}: `change` is for fabric files, and {spec.name} is a generator",
                "give its parameters in the brackets",
            )
        return Network(generator=fabric), fabric
    if spec.others:
        raise RequestError(f"{fabric}: unknown parameter {', '.join(spec.others)}")
    document = FabricDocument.read(spec.name)
    if entry.change:
        document = apply_all(document, [parse_change(text) for text in entry.change])
    own = tuple(spec.parameters.items())
    return Network(text=document.text, origin=document.origin, parameters=own), document.resolved()


def _bill(name: str, source: Source, given: Prices, money: MoneyEntry) -> NetworkBill | None:
    try:
        prices = _price_list(given)
        own = prices_of(source) if isinstance(source, Mapping) else None
        if prices is None and not (own and own.all):
            return None
        terms = Terms(money.currency, money.year, money.rates, money.inflation)
        bill = bill_of(source, prices, terms)
        return bill if bill.items else None
    except RequestError as error:
        raise PriceError(f"{name}: {error.message}", error.hint) from None


def _price_list(given: Prices) -> PriceList | None:
    if given is None:
        return None
    return _read(given) if isinstance(given, str) else _parse(toml_text(given))


@lru_cache(maxsize=32)
def _read(name: str) -> PriceList:
    return read_prices(name)


@lru_cache(maxsize=2)
def _parse(text: str) -> PriceList:
    return msgspec.json.decode(_core.load_prices(text, "prices"), type=PriceList)


def _refuse_too_many(count: int, workloads: int) -> None:
    if count > MOST_DESIGNS:
        hours = count * workloads * _TASK_S / 3600
        raise RequestError(
            f"{count:,} designs with {workloads} workloads would take about {hours:,.0f} hours of a processor",
            f"at most {MOST_DESIGNS:,} at a time: take steps (k=16..48/8) or lists (k=16|32)",
        )


def _refuse_mixed_money(designs: Sequence[Design]) -> None:
    known: dict[tuple[str, int], str] = {}
    for one in designs:
        if one.bill:
            known.setdefault((one.bill.currency, one.bill.year), one.name)
    if len(known) > 1:
        (first, there), (second, here), *_ = known.items()
        raise RequestError(
            f"prices of {there!r} are in {first[0]} of {first[1]}, of {here!r} in {second[0]} of {second[1]}",
            "say how they compare: [money] currency, rates, year, inflation",
        )


def without_price(designs: Sequence[Design]) -> Iterator[str]:
    """The names of designs without a price, if others have one."""
    if any(one.bill for one in designs):
        yield from (one.name for one in designs if not one.bill)
