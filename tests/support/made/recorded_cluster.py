"""A cluster as weft check records one: four nodes with 100 Gb/s cards, nothing odd about them."""

import json
from itertools import permutations
from typing import Any

import msgspec

from support.paths import DATA
from weft.operate.preflight.record import ClusterRecord

_RECORDED = (DATA / "recorded_cluster.json").read_text()
"""An interface, a system and a path."""


class Cluster:
    """The record of n1 to n4 as a document in which a test changes what it wants."""

    def __init__(self, count: int = 4) -> None:
        names = [f"n{at + 1}" for at in range(count)]
        path = json.loads(_RECORDED)["path"]
        self.nodes = {
            name: {
                "name": name,
                "addresses": [f"10.0.0.{at + 1}"],
                "failure": "",
                "complaint": "",
                "facts": {"kernel": "6.1.0-38", "cpu_model": "EPYC 7543", "cpus": 64},
                "system": json.loads(_RECORDED)["system"],
                "interfaces": [json.loads(_RECORDED)["interface"]],
            }
            for at, name in enumerate(names)
        }
        self.paths = {
            (src, dst): {"src": src, "dst": dst, **path} for src, dst in permutations(names, 2)
        }

    def interface(self, name: str) -> dict[str, Any]:
        return self.nodes[name]["interfaces"][0]

    def settings(self, name: str) -> dict[str, Any]:
        return self.nodes[name]["system"]["settings"]

    def ways_of(self, name: str) -> list[dict[str, Any]]:
        """All ways from and to a node."""
        return [path for ends, path in self.paths.items() if name in ends]

    def record(self) -> ClusterRecord:
        found = {"nodes": list(self.nodes.values()), "paths": list(self.paths.values())}
        return msgspec.convert(
            {"testbed": {"kind": "hosts", "name": "cluster"}, **found}, ClusterRecord
        )
