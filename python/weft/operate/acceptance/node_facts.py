"""Facts in the record of `weft check` that may explain why a node is slow."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from weft.base.condition import Fact
from weft.operate.acceptance.lost_share import LossCounts
from weft.operate.preflight.differences import differences
from weft.operate.preflight.record import ClusterRecord, NodeRecord

VERSIONS = ("differs-driver", "differs-driver-version", "differs-firmware", "differs-kernel")
LEAST_LOST = 2
"""A single datagram may be lost by chance."""


def node_facts(record: ClusterRecord | None, name: str) -> dict[str, Fact]:
    """Facts of a node, as catalog/symptoms.toml names them; empty without a record of it."""
    node = next((one for one in record.nodes if one.name == name), None) if record else None
    if record is None or node is None:
        return {}
    asked = datagrams(record, name)
    return {
        "driver_differs": any(
            one.code in VERSIONS and name in one.nodes for one in differences(record)
        ),
        "lost_when_idle": bool(asked.lost.sum() >= LEAST_LOST),
        **_busy(record.alive, node),
        **_link(record.alive, node),
    }


def datagrams(record: ClusterRecord, name: str) -> LossCounts:
    """The small datagrams to or from a node on the idle network, by path."""
    mine = [path for path in record.paths if name in path.ends and not path.datagram_error]
    asked = np.array([path.asked for path in mine], dtype=np.float64)
    return LossCounts(asked - [path.answered for path in mine], asked)


def _busy(nodes: Sequence[NodeRecord], node: NodeRecord) -> dict[str, Fact]:
    """The busiest processor before anything was measured."""
    shares = {one.name: max(busy) for one in nodes if (busy := one.system.get("busy"))}
    if node.name not in shares:
        return {}
    own, usual = shares[node.name], float(np.median(list(shares.values())))
    return {"busy_share": own, "busy_above_others": own - usual}


def _link(nodes: Sequence[NodeRecord], node: NodeRecord) -> dict[str, Fact]:
    interface = next(iter(node.interfaces), None)
    if not interface:
        return {}
    known = {
        "link_mbps": interface["link_mbps"],
        "duplex": interface["duplex"],
        "driver": interface["driver"],
        "mtu_bytes": interface["mtu_bytes"],
        "interface_errors": interface["received_errors"],
    }
    facts: dict[str, Fact] = {key: value for key, value in known.items() if value is not None}
    speeds = [one["link_mbps"] for each in nodes for one in each.interfaces[:1] if one]
    if own := interface["link_mbps"]:
        facts["link_slower_than_others"] = own < float(np.median([each for each in speeds if each]))
    return facts
