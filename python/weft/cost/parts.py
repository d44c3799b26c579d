"""The parts of a network: switches by ports, interfaces, cables by length."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from weft.cost.racks import Racks
from weft.cost.wiring import Numbers, Source, Wiring, read_wiring


@dataclass(frozen=True)
class Switches:
    """Switches that are alike. Of their ports so many are used, and so many of these by hosts."""

    network: int
    ports: int
    used: int
    of_hosts: int
    count: int

    @property
    def free(self) -> int:
        """Ports without a cable, of one of them."""
        return self.ports - self.used


@dataclass(frozen=True)
class Cables:
    """Cables that are alike; those of hosts lead to at least one. Without racks no length is known."""

    network: int
    of_hosts: bool
    length_m: float | None
    count: int


@dataclass(frozen=True)
class Interfaces:
    """The hosts' interfaces into a network."""

    network: int
    count: int


@dataclass(frozen=True)
class Parts:
    """What there is of what; networks count from 0."""

    name: str
    hosts: int
    interfaces: tuple[Interfaces, ...]
    switches: tuple[Switches, ...]
    cables: tuple[Cables, ...]

    @property
    def host_ports(self) -> int:
        """All interfaces of hosts."""
        return sum(one.count for one in self.interfaces)


def parts_of(source: Source, racks: Racks | None = None) -> Parts:
    """The parts of a network; raises RequestError where there is none. Racks give cables their lengths."""
    return count_parts(read_wiring(source), racks)


def count_parts(wiring: Wiring, racks: Racks | None) -> Parts:
    """The parts of what is connected so."""
    return Parts(
        wiring.name,
        wiring.hosts,
        tuple(_interfaces(wiring)),
        tuple(_switches(wiring)),
        tuple(_cables(wiring, racks)),
    )


def _interfaces(wiring: Wiring) -> list[Interfaces]:
    of_hosts = wiring.is_host.sum(axis=1)
    ends = np.bincount(wiring.networks, of_hosts).astype(int).tolist()
    return [
        Interfaces(network, count // wiring.cables_per_interface)
        for network, count in enumerate(ends)
        if count
    ]


def _switches(wiring: Wiring) -> list[Switches]:
    """A switch is in the network of its cables; one without any is in the first."""
    switches = len(wiring.ports)
    is_switch = ~wiring.is_host
    at = wiring.ends[is_switch] - wiring.hosts
    used = np.bincount(at, minlength=switches)
    beside_host = wiring.is_host[:, ::-1][is_switch]
    of_hosts = np.bincount(at, beside_host, minlength=switches).astype(int)
    networks = np.zeros(switches, np.int64)
    networks[at] = np.broadcast_to(wiring.networks[:, None], wiring.ends.shape)[is_switch]
    return [
        Switches(network, ports, taken, by_hosts, count)
        for (network, ports, taken, by_hosts), count in _alike(
            networks, wiring.ports, used, of_hosts
        )
    ]


def _cables(wiring: Wiring, racks: Racks | None) -> list[Cables]:
    lengths_cm = np.zeros(len(wiring.ends), np.int64)
    if racks is not None:
        lengths_cm += np.round(racks.lengths_m(wiring) * 100).astype(np.int64)
    of_hosts = (wiring.is_host[:, 0] | wiring.is_host[:, 1]).astype(np.int64)
    return [
        Cables(network, bool(host), length / 100 if racks else None, count)
        for (network, host, length), count in _alike(wiring.networks, of_hosts, lengths_cm)
    ]


def _alike(*columns: Numbers) -> list[tuple[list[int], int]]:
    """The rows that differ, sorted, each with how often it is there; as one number each, since rows sort slowly."""
    if not len(columns[0]):
        return []
    shape = [int(column.max()) + 1 for column in columns]
    keys, counts = np.unique(
        np.atleast_1d(np.ravel_multi_index(columns, shape)), return_counts=True
    )
    rows = np.column_stack(np.unravel_index(keys, shape))
    return list(zip(rows.tolist(), counts.tolist(), strict=True))
