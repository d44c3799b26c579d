"""The parts of a network: switches by ports, interfaces, cables by length."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from weft.network.cost.racks import Racks
from weft.network.cost.wiring import NetworkWiring, Numbers, Source, read_wiring


@dataclass(frozen=True)
class PortCount:
    """Used ports of a switch whose cables have one rate (0: unlimited), and how many of them lead to hosts."""

    rate_bits_per_s: int
    used: int
    of_hosts: int


@dataclass(frozen=True)
class Switches:
    """Equal switches, with the numbers of ports, of used ones, and of those to hosts; `by_rate` has the used ones,
    slowest first."""

    network: int
    ports: int
    used: int
    of_hosts: int
    count: int
    by_rate: tuple[PortCount, ...]

    @property
    def free(self) -> int:
        """Ports without a cable, per switch."""
        return self.ports - self.used

    @property
    def rate_bits_per_s(self) -> int:
        """The rate of its fastest port."""
        return max((one.rate_bits_per_s for one in self.by_rate), default=0)


@dataclass(frozen=True)
class Cables:
    """Equal cables; those of hosts have a host at one end at least. The length is unknown without racks; a rate of 0
    means unlimited."""

    network: int
    of_hosts: bool
    length_m: float | None
    rate_bits_per_s: int
    count: int


@dataclass(frozen=True)
class Interfaces:
    """The hosts' interfaces into a network, of one rate (0: unlimited) and number of cables each."""

    network: int
    rate_bits_per_s: int
    cables: int
    count: int


@dataclass(frozen=True)
class Parts:
    """All parts with their numbers; networks count from 0."""

    name: str
    hosts: int
    interfaces: tuple[Interfaces, ...]
    switches: tuple[Switches, ...]
    cables: tuple[Cables, ...]

    @property
    def host_ports(self) -> int:
        """The number of all interfaces of hosts."""
        return sum(one.count for one in self.interfaces)


def parts_of(source: Source, racks: Racks | None = None) -> Parts:
    """The parts of a network; raises RequestError if there is none. Lengths of cables require racks."""
    return count_parts(read_wiring(source), racks)


def count_parts(wiring: NetworkWiring, racks: Racks | None) -> Parts:
    """The parts of this wiring."""
    return Parts(
        wiring.name,
        wiring.hosts,
        tuple(_interfaces(wiring)),
        tuple(_switches(wiring)),
        tuple(_cables(wiring, racks)),
    )


def _interfaces(wiring: NetworkWiring) -> list[Interfaces]:
    at, _ = np.nonzero(wiring.is_host)
    each = wiring.cables_per_interface
    rates, kinds = np.unique(wiring.rates, return_inverse=True)
    return [
        Interfaces(network, int(rates[kind]), each, count // each)
        for (network, kind), count in _alike(wiring.networks[at], kinds[at])
    ]


def _switches(wiring: NetworkWiring) -> list[Switches]:
    """Switches by network, which is that of their cables; the first one for switches without cables."""
    switches = len(wiring.ports)
    is_switch = ~wiring.is_host
    at = wiring.ends[is_switch] - wiring.hosts
    used = np.bincount(at, minlength=switches)
    beside_host = wiring.is_host[:, ::-1][is_switch]
    of_hosts = np.bincount(at, beside_host, minlength=switches).astype(int)
    networks = np.zeros(switches, np.int64)
    networks[at] = np.broadcast_to(wiring.networks[:, None], wiring.ends.shape)[is_switch]
    speeds, kinds = _ports_by_rate(wiring)
    return [
        Switches(network, ports, taken, by_hosts, count, speeds[kind])
        for (network, ports, taken, by_hosts, kind), count in _alike(
            networks, wiring.ports, used, of_hosts, kinds
        )
    ]


def _ports_by_rate(wiring: NetworkWiring) -> tuple[list[tuple[PortCount, ...]], Numbers]:
    """The distinct distributions of used ports over rates, and the index of each switch's."""
    cable, side = np.nonzero(~wiring.is_host)
    switch = wiring.ends[cable, side] - wiring.hosts
    rates, kinds = np.unique(wiring.rates, return_inverse=True)
    if not len(rates):
        return [()], np.zeros(len(wiring.ports), np.int64)
    places, count = switch * len(rates) + kinds[cable], len(wiring.ports) * len(rates)
    used = np.bincount(places, minlength=count)
    of_hosts = np.bincount(places, wiring.is_host[cable, 1 - side], count).astype(np.int64)
    table = np.column_stack((used, of_hosts)).reshape(len(wiring.ports), len(rates), 2)
    rows = table.reshape(len(wiring.ports), 2 * len(rates))
    found, which = np.unique(rows, axis=0, return_inverse=True)
    spread = [
        tuple(
            PortCount(int(rate), used, of_hosts)
            for rate, (used, of_hosts) in zip(rates, row, strict=True)
            if used
        )
        for row in found.reshape(len(found), *table.shape[1:]).tolist()
    ]
    return spread, which.reshape(-1)


def _cables(wiring: NetworkWiring, racks: Racks | None) -> list[Cables]:
    lengths_cm = np.zeros(len(wiring.ends), np.int64)
    if racks is not None:
        lengths_cm += np.round(racks.lengths_m(wiring) * 100).astype(np.int64)
    of_hosts = (wiring.is_host[:, 0] | wiring.is_host[:, 1]).astype(np.int64)
    rates, kinds = np.unique(wiring.rates, return_inverse=True)
    return [
        Cables(network, bool(host), length / 100 if racks else None, int(rates[kind]), count)
        for (network, host, length, kind), count in _alike(
            wiring.networks, of_hosts, lengths_cm, kinds
        )
    ]


def _alike(*columns: Numbers) -> list[tuple[list[int], int]]:
    """The distinct rows, sorted, and how often each occurs. Rows are encoded as one number, since they sort slowly."""
    if not len(columns[0]):
        return []
    shape = [int(column.max()) + 1 for column in columns]
    keys, counts = np.unique(
        np.atleast_1d(np.ravel_multi_index(columns, shape)), return_counts=True
    )
    rows = np.column_stack(np.unravel_index(keys, shape))
    return list(zip(rows.tolist(), counts.tolist(), strict=True))
