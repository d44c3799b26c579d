"""Loads of a simulated network's constraints relative to their capacities."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from weft.runs.columns.tables import LOADS_NAME
from weft.runs.folder import RunFolder
from weft.runs.records.fabric_records import LinkRecord


@dataclass(frozen=True)
class LinkLoad:
    """A constraint's load on the wire in the step that loaded it most: the mean over the step, and its busiest
    phase."""

    constraint: str
    step: int
    capacity_mbps: float
    mean_mbps: float
    peak_mbps: float

    @property
    def share(self) -> float:
        """The mean load as a share of the capacity."""
        return self.mean_mbps / self.capacity_mbps

    @property
    def peak_share(self) -> float:
        """The load of the busiest phase as a share of the capacity."""
        return self.peak_mbps / self.capacity_mbps


Loads = Mapping[str, LinkLoad]
"""By constraint."""


def loads_of(run: RunFolder) -> Loads:
    """Loads of constraints with a capacity; empty if the run does not record them."""
    table = run.stored_table(LOADS_NAME)
    # Runs of earlier versions have no capacities.
    capacity = table["capacity_mbps"]
    known = pc.and_(pc.is_finite(capacity), pc.greater(capacity, 0))
    if not pc.all(known).as_py():
        table = table.filter(known)
    loads: dict[str, LinkLoad] = {}
    for load in _by_step(table):
        other = loads.get(load.constraint)
        if other is None or load.share > other.share:
            loads[load.constraint] = load
    # With 1,024 hosts, the tables above take 280 MB, which Arrow would keep.
    pa.default_memory_pool().release_unused()
    return loads


def link_loads(
    link: LinkRecord, loads: Loads, cable: int = 1
) -> tuple[LinkLoad | None, LinkLoad | None]:
    """The loads of a link of a resolved fabric (weft.network.fabrics.load), from its first end to the second and back;
    `cable` counts parallel ones in the order of the file."""
    one, other = link["ends"]
    extra = f" (network {link['network'] + 1})" if link["network"] else ""
    if cable > 1:
        extra = f" ({cable})"
    return _lane_load(one, other, extra, loads), _lane_load(other, one, extra, loads)


def switch_loads(switch: str, loads: Loads) -> tuple[LinkLoad | None, LinkLoad | None]:
    """The loads inside a switch by what its members sent, and by what they received."""
    return loads.get(f"into {switch}"), loads.get(f"out of {switch}")


def _lane_load(src: str, dst: str, extra: str, loads: Loads) -> LinkLoad | None:
    """The load of one direction; the link of a host has the host's name, one between switches has both."""
    names = (f"{src}{extra} out", f"{dst}{extra} in", f"{src} to {dst}{extra}")
    return next((loads[name] for name in names if name in loads), None)


def _by_step(table: pa.Table) -> list[LinkLoad]:
    """Each constraint in each step that loaded it."""
    table = table.append_column(
        "bits", pc.multiply(table["mbps"], pc.divide(table["elapsed_ns"], 1e3))
    )
    found = table.group_by(["step", "constraint"]).aggregate(
        [("bits", "sum"), ("mbps", "max"), ("capacity_mbps", "max")]
    )
    lasted_us = _step_us(table)
    return [
        LinkLoad(
            str(row["constraint"]),
            row["step"],
            row["capacity_mbps_max"],
            row["bits_sum"] / lasted_us[row["step"]],
            row["mbps_max"],
        )
        for row in found.to_pylist()
    ]


def _step_us(table: pa.Table) -> dict[int, float]:
    """The total duration of the phases of each step."""
    phases = table.group_by(["step", "phase"]).aggregate([("elapsed_ns", "max")])
    steps = phases["step"].to_numpy()
    taken_us = phases["elapsed_ns_max"].to_numpy() / 1e3
    return {int(step): float(taken_us[steps == step].sum()) for step in np.unique(steps)}
