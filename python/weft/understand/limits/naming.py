"""The findings of a study with the names of the run's nodes."""

from __future__ import annotations

from collections.abc import Iterable

from weft.base.nodeset import fold
from weft.runs.meta import RunMeta
from weft.understand.limits.findings import LimitFinding, SlowPart
from weft.understand.limits.wording import limit_evidence
from weft.understand.xray.decision import ERROR
from weft.understand.xray.limit.limit import SharedLimit
from weft.understand.xray.outliers import SlowPort, slow_ports, slow_routes, suspects
from weft.understand.xray.study import SearchStudy


class Namer:
    """Turns node numbers into names."""

    def __init__(self, meta: RunMeta) -> None:
        self.all = [str(node["name"]) for node in meta.nodes]

    def names(self, nodes: Iterable[int]) -> tuple[str, ...]:
        return tuple(self.all[node] for node in sorted(nodes))

    def text(self, nodes: Iterable[int]) -> str:
        return fold(self.names(nodes))

    def limit(self, limit: SharedLimit, study: SearchStudy) -> LimitFinding:
        support = {group.members: group.support for group in study.survey.candidates.walk()}
        all_nodes = study.survey.nodes
        is_trunk = limit.kind == "uplink" and any(
            group.members == all_nodes - limit.members for group in study.groups
        )
        return LimitFinding(
            kind="trunk" if is_trunk else limit.kind,
            members=self.names(limit.members),
            against=self.names(all_nodes - limit.members) if is_trunk else None,
            direction=limit.direction,
            capacity_mbps=limit.capacity_mbps,
            demand_mbps=limit.demand_mbps,
            confidence=(1 - ERROR) * support.get(limit.members, 1.0),
            evidence=limit_evidence(limit),
        )

    def slow(self, study: SearchStudy) -> Iterable[SlowPart]:
        isolated = study.evidence.isolated
        by_node: dict[int, list[SlowPort]] = {}
        for port in slow_ports(study.survey, study.ports, isolated, study.limits):
            by_node.setdefault(port.node, []).append(port)
        for node, ports in by_node.items():
            both = len(ports) == 2
            slowest = min(ports, key=lambda port: port.rate_mbps.median)
            yield SlowPart(
                kind="node" if both else "direction",
                nodes=self.names([node]),
                direction=None if both else slowest.direction,
                rate_mbps=slowest.rate_mbps,
                expected_mbps=slowest.expected_mbps,
                evidence="its best rate with any partner",
            )
        flows = suspects(study.survey, study.ports, study.limits)
        for route in slow_routes(flows, study.retrials, study.ports, study.limits):
            yield SlowPart(
                kind="route",
                nodes=(self.all[route.src], self.all[route.dst]),
                direction=None,
                rate_mbps=route.rate_mbps,
                expected_mbps=route.expected_mbps,
                evidence="alone; both ends are faster with other partners",
            )
