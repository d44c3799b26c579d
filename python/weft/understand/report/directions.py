"""The load of each direction of a declared fabric's links and switches, with its description."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from weft.base.quantity import format_mbps
from weft.runs.link_loads import LinkLoad, Loads, link_loads, switch_loads
from weft.runs.records.fabric_records import CableDirection, FabricRecord, LinkRecord
from weft.understand.limits.fabric_tree import FabricTree


@dataclass(frozen=True)
class Lane:
    """One direction; `share` is that of the capacity in use, None if nothing limits it."""

    name: str
    share: float | None
    carried: str
    peak: str

    @classmethod
    def of(cls, name: str, load: LinkLoad | None, has_limit: bool) -> Lane:
        if not has_limit:
            return cls(name, None, "no limit", "")
        if load is None:
            return cls(name, 0.0, "nothing", "")
        rates = f"{format_mbps(load.mean_mbps)} of {format_mbps(load.capacity_mbps)}"
        return cls(name, load.share, f"{rates}, {percent(load.share)}", percent(load.peak_share))


Lanes = tuple[Lane, Lane]
"""The lanes out of a subtree (towards the root) and into it."""


@dataclass(frozen=True)
class FabricLanes:
    """The lanes of one network of a resolved fabric in a run."""

    tree: FabricTree
    fabric: FabricRecord
    loads: Loads

    @property
    def carried_anything(self) -> bool:
        """Whether any link of this network carried traffic."""
        return any(any(link_loads(link, self.loads)) for link in self.tree.links)

    def above(self, name: str) -> Lanes | None:
        """The link above a node; None for a part of a switch, which has no link."""
        found = self._links.get(name)
        if found is None:
            return None
        link, *ways = found
        loads = dict(zip(("forward", "backward"), link_loads(link, self.loads), strict=True))
        limits = [bool(link[way]["rate_bits_per_s"]) and not link["dead"] for way in ways]
        out, in_ = (
            Lane.of(f"{name} {to}", loads[way], has_limit)
            for to, way, has_limit in zip(("out", "in"), ways, limits, strict=True)
        )
        return out, in_

    @cached_property
    def _links(self) -> dict[str, tuple[LinkRecord, CableDirection, CableDirection]]:
        """Each link with its lanes out and in, by its lower end."""
        found = ((link, *self.tree.towards_root(link)) for link in self.tree.links)
        return {lower: (link, out, in_) for link, lower, out, in_ in found}

    def inside(self, name: str) -> Lanes | None:
        """The inside of a switch; None if it has no limit."""
        found = [one for one in self.fabric["switches"] if one["name"] == name]
        if not found or not found[0]["capacity_bits_per_s"]:
            return None
        sent, received = switch_loads(name, self.loads)
        return Lane.of(f"into {name}", sent, True), Lane.of(f"out of {name}", received, True)


def percent(share: float) -> str:
    """A share as text: 0.934 -> "93 %"."""
    return f"{100 * share:.0f} %"


def span(lanes: Sequence[Lane]) -> str:
    """The range of the lanes' shares: "93 %", or "12 to 93 %"; "no limit" if none has a share."""
    shares = [lane.share for lane in lanes if lane.share is not None]
    if not shares:
        return "no limit"
    low, high = percent(min(shares)), percent(max(shares))
    return high if low == high else f"{low.removesuffix(' %')} to {high}"
