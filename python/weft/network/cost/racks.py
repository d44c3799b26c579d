"""Racks in rows, and the lengths of cables between them."""

from __future__ import annotations

from typing import Literal

import msgspec
import numpy as np

from weft.base.statistics import Floats
from weft.network.cost.wiring import NetworkWiring, Numbers


class Racks(msgspec.Struct, frozen=True):
    """The section `[layout]`: hosts fill racks in order, racks fill rows."""

    hosts_per_rack: int
    racks_per_row: int
    rack_width_m: float
    row_spacing_m: float
    slack_m: float
    switches: Literal["rack", "central"]

    def lengths_m(self, wiring: NetworkWiring) -> Floats:
        """Length of each cable in metres, rounded to centimetres: along rows and across them, since cables run in
        trays, plus slack."""
        places = self._places_m(wiring)
        ways = np.abs(places[wiring.ends[:, 0]] - places[wiring.ends[:, 1]]).sum(axis=1)
        lengths: Floats = np.round(ways + self.slack_m, 2)
        return lengths

    def _places_m(self, wiring: NetworkWiring) -> Floats:
        """Position of each node in metres: along its row, and across the rows."""
        rack = np.arange(wiring.hosts) // self.hosts_per_rack
        column, row = rack % self.racks_per_row, rack // self.racks_per_row
        hosts = np.column_stack((column * self.rack_width_m, row * self.row_spacing_m))
        middle = hosts.max(axis=0) / 2
        switches = np.tile(middle, (len(wiring.ports), 1))
        if self.switches == "rack":
            at, host = _middle_hosts(wiring)
            switches[at] = hosts[host]
        return np.vstack((hosts, switches))


def _middle_hosts(wiring: NetworkWiring) -> tuple[Numbers, Numbers]:
    """The switches that have hosts, and the middle host of each."""
    is_host = wiring.is_host
    joins = is_host[:, 0] != is_host[:, 1]
    hosts, switches = wiring.ends[joins].min(axis=1), wiring.ends[joins].max(axis=1) - wiring.hosts
    order = np.lexsort((hosts, switches))
    found, first, count = np.unique(switches[order], return_index=True, return_counts=True)
    return found, hosts[order][first + (count - 1) // 2]
