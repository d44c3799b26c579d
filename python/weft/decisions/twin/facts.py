"""What the nodes of a run said of their interfaces, as far as a twin has it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from weft.base.frames import FULL
from weft.runs.folder import RunFolder
from weft.runs.records import records

MOST_MTU_BYTES = 65_535
"""What IP's length field holds, and so a fabric file; loopback interfaces take one byte more."""


def mtu_bytes(run: RunFolder) -> int:
    """The packets of all interfaces that were measured; Ethernet's own where they differ or are not known."""
    found = {one.get("mtu_bytes") for one in _devices(run)}
    common = found.pop() if len(found) == 1 else None
    return min(int(common), MOST_MTU_BYTES) if common else FULL.mtu_bytes


def may_merge_segments(runs: Sequence[RunFolder]) -> bool:
    """Whether any interface merges segments before it acknowledges them (GRO, LRO), or does not say."""
    found = [one.get("offloads") or {} for run in runs for one in _devices(run)]
    return not found or any(one.get("gro", True) or one.get("lro", False) for one in found)


def _devices(run: RunFolder) -> Iterator[dict[str, Any]]:
    return filter(None, map(_device, run.meta.nodes))


def _device(node: records.NodeEntry) -> dict[str, Any] | None:
    """That of the interface with the address that was measured."""
    facts = node.get("facts") or {}
    for interface in facts.get("interfaces", ()):
        if node.get("address") in interface.get("addresses", ()):
            found: dict[str, Any] | None = facts.get("devices", {}).get(interface["name"])
            return found
    return None
