"""What a twin uses of the nodes' reports about their interfaces."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from weft.base.frames import FULL
from weft.runs.folder import RunFolder
from weft.runs.records import records

MOST_MTU_BYTES = 65_535
"""Maximum of IP's length field, and so of a fabric file; loopback interfaces allow one byte more."""


def mtu_bytes(run: RunFolder) -> int:
    """The MTU of all measured interfaces; Ethernet's default if they differ or are unknown."""
    found = {one.get("mtu_bytes") for one in _devices(run)}
    common = found.pop() if len(found) == 1 else None
    return min(int(common), MOST_MTU_BYTES) if common else FULL.mtu_bytes


def may_merge_segments(runs: Sequence[RunFolder]) -> bool:
    """Whether any interface merges segments before acknowledging them (GRO, LRO), or may do so."""
    found = [one.get("offloads") or {} for run in runs for one in _devices(run)]
    return not found or any(one.get("gro", True) or one.get("lro", False) for one in found)


def _devices(run: RunFolder) -> Iterator[dict[str, Any]]:
    return filter(None, map(_device, run.meta.nodes))


def _device(node: records.NodeEntry) -> dict[str, Any] | None:
    """The entry of the interface with the measured address."""
    facts = node.get("facts") or {}
    for interface in facts.get("interfaces", ()):
        if node.get("address") in interface.get("addresses", ()):
            found: dict[str, Any] | None = facts.get("devices", {}).get(interface["name"])
            return found
    return None
