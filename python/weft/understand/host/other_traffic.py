"""Other traffic on the interfaces of nodes during a run between many nodes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import pyarrow as pa
import pyarrow.compute as pc

from weft.base.alike import listed
from weft.base.quantity import format_mbps
from weft.runs.meta import RunMeta

Side = Literal["out", "in"]

OVERHEAD_BYTES = 78
"""Headers of a frame (Ethernet, IP, TCP with timestamps) with one SACK block."""
SEGMENT_BYTES = 1514
"""The bytes attributed to each retransmitted segment."""
LEAST_SHARE = 0.03
"""Traffic below this share of the fastest node's own cannot be told from data in flight at the end of a phase. The
share is larger for phases shorter than LEAST_PHASE_S, since data is in flight once per phase."""
LEAST_PHASE_S = 0.2
MOST_NAMED = 6
OWN_INTERFACES = {"lab", "vm"}
"""Testbeds whose nodes have separate interfaces although they are on one machine."""

_INTERFACE: dict[Side, str] = {"out": "interface_tx", "in": "interface_rx"}
_OWN: dict[Side, str] = {"out": "session_sent_bytes", "in": "session_received_bytes"}
_RESENT = "nstat:TcpRetransSegs"
_TIME = "elapsed_ns"
_COUNTERS = [
    *(f"{one}_{what}" for one in _INTERFACE.values() for what in ("bytes", "packets")),
    *_OWN.values(),
    _RESENT,
    _TIME,
]
_VERBS: dict[Side, str] = {"out": "sent", "in": "received"}

CountEndReply = Mapping[str, float]


@dataclass(frozen=True)
class OtherTraffic:
    """The average rate of traffic of others that a node (by position) sent or received during measurements."""

    node: int
    side: Side
    mbps: float


def other_traffic(meta: RunMeta, evidence: pa.Table) -> list[OtherTraffic]:
    """Other traffic above LEAST_SHARE, by node and direction; empty if it was not counted. Nodes that share an
    interface are left out."""
    phases = _phases(evidence)
    fastest = max((_own_mbps(one, side) for one in phases.values() for side in _OWN), default=0.0)
    by_node: dict[int, list[CountEndReply]] = defaultdict(list)
    for (node, _), counted in phases.items():
        by_node[node].append(counted)
    found = [
        OtherTraffic(node, side, _other_mbps(by_node[node], side))
        for node in sorted(by_node.keys() - sharing_an_interface(meta))
        for side in _OWN
    ]
    least_mbps = {node: _least_share(counted) * fastest for node, counted in by_node.items()}
    return [one for one in found if one.mbps > least_mbps[one.node]]


def other_traffic_text(meta: RunMeta, found: Iterable[OtherTraffic]) -> str:
    """For example "n2 sent 1.9 Mb/s and received 0.2 Mb/s, n6 received 1.9 Mb/s that are not of this run"."""
    said: dict[str, list[str]] = defaultdict(list)
    for one in found:
        name = str(meta.nodes[one.node]["name"])
        said[name].append(f"{_VERBS[one.side]} {format_mbps(one.mbps)}")
    nodes = [f"{name} {' and '.join(parts)}" for name, parts in said.items()]
    return f"{listed(nodes, MOST_NAMED)} that are not of this run"


def sharing_an_interface(meta: RunMeta) -> set[int]:
    """Nodes that share a machine, whose interface counts the traffic of all of them."""
    if meta.testbed.get("kind") in OWN_INTERFACES:
        return set()
    hosts = [(one.get("facts") or {}).get("hostname") for one in meta.nodes]
    return {at for at, host in enumerate(hosts) if host is None or hosts.count(host) > 1}


def _phases(evidence: pa.Table) -> dict[tuple[int, tuple[int, ...]], CountEndReply]:
    """The counters of each node in each phase in which both interface and agent were read."""
    names = evidence["counter"].cast("string")
    rows = evidence.filter(pc.is_in(names, pa.array(_COUNTERS)))
    found: dict[tuple[int, tuple[int, ...]], dict[str, float]] = defaultdict(dict)
    columns = ("node", "step", "launch", "phase", "counter", "value")
    for node, *place, counter, value in zip(
        *(rows[name].to_pylist() for name in columns), strict=True
    ):
        found[node, tuple(place)][counter] = value
    return {
        at: one for at, one in found.items() if _TIME in one and one.keys() & set(_OWN.values())
    }


def _own_mbps(counted: CountEndReply, side: Side) -> float:
    return counted.get(_OWN[side], 0.0) * 8e3 / max(counted[_TIME], 1.0)


def _least_share(phases: Sequence[CountEndReply]) -> float:
    phase_s = sum(one[_TIME] for one in phases) / 1e9 / len(phases)
    return LEAST_SHARE * max(1.0, LEAST_PHASE_S / phase_s)


def _other_mbps(phases: Iterable[CountEndReply], side: Side) -> float:
    """The mean rate over all phases: data that a sender has left at the end of one is sent before the next."""
    total: dict[str, float] = defaultdict(float)
    for counted in phases:
        for name, value in counted.items():
            total[name] += value
    interface = _INTERFACE[side]
    own = total[_OWN[side]] + OVERHEAD_BYTES * total[f"{interface}_packets"]
    if side == "out":
        own += SEGMENT_BYTES * total[_RESENT]
    return max(total[f"{interface}_bytes"] - own, 0.0) * 8e3 / max(total[_TIME], 1.0)
