"""A cluster as weft check records one: four nodes with 100 Gb/s cards, nothing odd about them."""

from __future__ import annotations

from copy import deepcopy
from itertools import permutations
from typing import Any

from weft.preflight.record import Record

OFFLOADS = ("rx-checksum", "tx-checksum", "scatter-gather", "tso", "gso", "gro")

_INTERFACE: dict[str, Any] = {
    "name": "ens1",
    "up": True,
    "loopback": False,
    "mtu_bytes": 9000,
    "link_mbps": 100_000,
    "duplex": "full",
    "autoneg": True,
    "driver": "mlx5_core",
    "driver_version": "6.1.0",
    "firmware": "22.36.1010",
    "slot": {
        "address": "0000:3b:00.0",
        "speed": "8.0 GT/s PCIe",
        "width": 16,
        "max_speed": "8.0 GT/s PCIe",
        "max_width": 16,
        "numa_node": 0,
    },
    "offloads": dict.fromkeys(OFFLOADS, True),
    "received_errors": 0,
    "received_drops": 0,
}
_SYSTEM: dict[str, Any] = {
    "governors": ["performance"],
    "numa_nodes": "0",
    "busy": [0.0] * 8,
    "open_files": 1_048_576,
    "settings": {
        "rmem_max": 16_777_216,
        "wmem_max": 16_777_216,
        "tcp_rmem_max": 16_777_216,
        "tcp_wmem_max": 16_777_216,
        "congestion": "cubic",
        "syn_retries": 6,
        "retries2": 15,
        "mtu_probing": 0,
    },
}
_PATH: dict[str, Any] = {
    "network": 0,
    "connect_error": None,
    "datagram_error": None,
    "answered": 10,
    "asked": 10,
    "round_trip_us": 40.0,
    "clock_offset_us": 12.0,
    "clock_error_us": 20.0,
    "mtu_bytes": 9000,
}


class Cluster:
    """The record of n1 to n4 as a document in which a test changes what it wants."""

    def __init__(self, count: int = 4) -> None:
        names = [f"n{at + 1}" for at in range(count)]
        self.nodes = {
            name: {
                "name": name,
                "addresses": [f"10.0.0.{at + 1}"],
                "failure": "",
                "complaint": "",
                "facts": {"kernel": "6.1.0-38", "cpu_model": "EPYC 7543", "cpus": 64},
                "system": deepcopy(_SYSTEM),
                "interfaces": [deepcopy(_INTERFACE)],
            }
            for at, name in enumerate(names)
        }
        self.paths = {
            (src, dst): {"src": src, "dst": dst, **_PATH} for src, dst in permutations(names, 2)
        }

    def interface(self, name: str) -> dict[str, Any]:
        found: dict[str, Any] = self.nodes[name]["interfaces"][0]
        return found

    def settings(self, name: str) -> dict[str, Any]:
        found: dict[str, Any] = self.nodes[name]["system"]["settings"]
        return found

    def ways_of(self, name: str) -> list[dict[str, Any]]:
        """All ways from and to a node."""
        return [path for ends, path in self.paths.items() if name in ends]

    def record(self) -> Record:
        return Record.from_json(
            {
                "testbed": {"kind": "hosts", "name": "cluster"},
                "nodes": list(self.nodes.values()),
                "paths": list(self.paths.values()),
            }
        )
