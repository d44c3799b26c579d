"""Hosts, switches and cables of a described or generated network as arrays."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from weft import _core
from weft.base.errors import RequestError
from weft.network.fabrics.load import find_fabric, load_fabric, refuse_parameters
from weft.network.fabrics.spec import SimSpec, parse_spec
from weft.runs.records.fabric_records import FabricRecord

Numbers: TypeAlias = npt.NDArray[np.int64]
Source: TypeAlias = str | FabricRecord
"""A fabric's name or file, a generator with parameters, or the resolved fabric of a run."""
_Columns: TypeAlias = tuple[int, int, bytes, bytes, bytes, bytes]


@dataclass(frozen=True, eq=False)
class NetworkWiring:
    """Nodes are numbered, hosts first, then switches."""

    name: str
    hosts: int
    cables_per_interface: int
    """1, unless hosts forward traffic of others."""
    ports: Numbers
    """Number of ports by switch."""
    ends: Numbers
    """Nodes at both ends of each cable, shape (cables, 2)."""
    networks: Numbers
    """Index of the network by cable."""
    rates: Numbers
    """Rate by cable in bit/s; 0 if unlimited."""
    fabric: FabricRecord | None = None
    """The description that it was made from; None if generated."""

    @property
    def is_host(self) -> npt.NDArray[np.bool_]:
        """For each end of each cable, whether it is a host."""
        host: npt.NDArray[np.bool_] = self.ends < self.hosts
        return host


def read_wiring(source: Source) -> NetworkWiring:
    """The wiring of a network; raises RequestError if there is no such network, or it is not made of cables."""
    if isinstance(source, Mapping):
        return _described(source)
    spec = parse_spec(source.removeprefix("sim:"))
    if spec.name.endswith(".xml"):
        raise RequestError(
            f"{source}: a SimGrid platform has routes, and says nothing of switches and cables",
            "weft fabric import simgrid makes a fabric file of one that is a tree",
        )
    return _generated(source, spec) or _declared(source, spec)


def _described(fabric: FabricRecord) -> NetworkWiring:
    try:
        columns = _core.fabric_wiring(json.dumps(fabric))
    except _core.RefusedError as error:
        raise RequestError(f"{fabric['name']}: {error.message}", error.hint) from None
    return _wiring(fabric["name"], columns, fabric)


def _generated(source: str, spec: SimSpec) -> NetworkWiring | None:
    try:
        network = _core.Network.generated(spec.name, spec.others, 1.0)
    except _core.RefusedError as error:
        raise RequestError(f"{source}: {error.message}", error.hint) from None
    if network is None:
        return None
    columns = network.wiring()
    assert columns is not None, "generators know their cables"
    return _wiring(network.name, columns)


def _declared(source: str, spec: SimSpec) -> NetworkWiring:
    path = find_fabric(spec.name)
    refuse_parameters(source, spec)
    return _described(load_fabric(str(path)))


def _wiring(name: str, columns: _Columns, fabric: FabricRecord | None = None) -> NetworkWiring:
    hosts, cables_per_interface, *numbers, rate_column = columns
    ports, ends, networks = (np.frombuffer(one, np.uint32).astype(np.int64) for one in numbers)
    rates = np.frombuffer(rate_column, np.uint64).astype(np.int64)
    return NetworkWiring(
        name, hosts, cables_per_interface, ports, ends.reshape(-1, 2), networks, rates, fabric
    )
