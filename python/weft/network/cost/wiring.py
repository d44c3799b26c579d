"""Hosts, switches and cables as arrays: what is connected how in a described or generated network."""

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
"""A fabric's name or file, a generator with its parameters, or the resolved fabric that a run keeps."""
_Columns: TypeAlias = tuple[int, int, bytes, bytes, bytes, bytes]


@dataclass(frozen=True, eq=False)
class NetworkWiring:
    """Nodes have numbers: hosts first, then switches."""

    name: str
    hosts: int
    cables_per_interface: int
    """1, unless hosts pass on what others send."""
    ports: Numbers
    """By switch."""
    ends: Numbers
    """Of each cable (shape: cables x 2)."""
    networks: Numbers
    """By cable; the first is 0."""
    rates: Numbers
    """By cable, bit/s; 0 where nothing limits it."""
    fabric: FabricRecord | None = None
    """The description that it was made of, where there is one."""

    @property
    def is_host(self) -> npt.NDArray[np.bool_]:
        """Of each end of each cable."""
        host: npt.NDArray[np.bool_] = self.ends < self.hosts
        return host


def read_wiring(source: Source) -> NetworkWiring:
    """What is connected how; raises RequestError where there is no such network, or it is no list of cables."""
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
