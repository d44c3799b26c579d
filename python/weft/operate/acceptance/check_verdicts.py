"""Verdicts on what `weft check` records: nodes, settings, clocks, packet sizes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from msgspec.structs import replace

from weft.base.condition import Fact
from weft.base.interval import Interval
from weft.base.nodeset import fold
from weft.operate.acceptance.decide import Case, decide, settled, undecided
from weft.operate.acceptance.lost_share import lost_share
from weft.operate.acceptance.node_facts import datagrams, node_facts
from weft.operate.acceptance.requirements import Requirement
from weft.operate.acceptance.verdict import RequirementVerdict, Symptom
from weft.operate.preflight.assess import judge
from weft.operate.preflight.finding import Finding
from weft.operate.preflight.record import ClusterRecord, NodeRecord, PathRecord

REFUSED_LOGINS = (
    "agent-host-key-changed",
    "agent-host-key-unknown",
    "agent-login-dropped",
    "agent-login-refused",
    "agent-not-ready",
    "agent-not-started",
    "agent-version",
)
"""The node answers, so it is up, and so is the network that leads to it from here."""
DEAD = ("no-agent", "no-interface", "cannot-listen", "unreachable")
NOTHING = "a testbed with real nodes: a simulated one has none of this"


def usable(record: ClusterRecord) -> tuple[str, ...]:
    """The nodes that can be measured: they have an agent, and their data network connects."""
    dead = {name for one in judge(record).findings if one.code in DEAD for name in one.nodes}
    return tuple(node.name for node in record.nodes if node.name not in dead)


def check_verdict(wanted: Requirement, record: ClusterRecord | None) -> RequirementVerdict:
    """The verdict on a requirement that a record decides; not decided without a record, as for simulated networks."""
    if record is None:
        return undecided(wanted, NOTHING)
    if len(record.alive) < wanted.kind.least_nodes:
        return undecided(wanted, f"{wanted.kind.least_nodes} nodes that answer")
    findings = judge(record).findings
    match wanted.key:
        case "nodes.count":
            return _count(wanted, record, findings)
        case "nodes.same":
            return _same(wanted, findings)
        case "mtu.path":
            return _path_mtu(wanted, record, findings)
        case "mtu.at_least" | "mtu.at_most":
            return _mtu(wanted, record)
        case "clocks.offset":
            return decide(
                wanted, list(_clocks(record)), more="paths on which datagrams are answered"
            )
    return _datagrams(wanted, record)


def _count(
    wanted: Requirement, record: ClusterRecord, findings: Sequence[Finding]
) -> RequirementVerdict:
    alive = usable(record)
    dead = [one for one in findings if one.code in DEAD]
    alike: dict[str, list[str]] = {}
    logins = {node.name: node.failure_code for node in record.nodes}
    for one in dead:
        is_login = any(logins[node] in REFUSED_LOGINS for node in one.nodes)
        alike.setdefault("no-login" if is_login else one.code, []).extend(one.nodes)
    symptoms = [
        Symptom("node-dead", tuple(nodes), fold(nodes), None, {"code": code})
        for code, nodes in alike.items()
    ]
    count = float(len(alive))
    answer = Case(f"{len(alive)} of {len(record.nodes)} nodes", Interval(count, count, count))
    return settled_with(decide(wanted, [answer], [each.message for each in dead]), symptoms)


def with_lost(verdict: RequirementVerdict, lost: Mapping[str, str]) -> RequirementVerdict:
    """The verdict on the number of nodes, if some failed after the check."""
    if not lost or verdict.status == "not decided":
        return verdict
    symptoms = [Symptom("node-dead", (node,), node, None, {"code": "lost"}) for node in lost]
    return replace(
        verdict,
        status="not met",
        symptoms=(*verdict.symptoms, *symptoms),
        evidence=(*verdict.evidence, *(f"{node}: {reason}" for node, reason in lost.items())),
    )


def settled_with(verdict: RequirementVerdict, symptoms: Sequence[Symptom]) -> RequirementVerdict:
    """The verdict with symptoms, if it is not met."""
    return replace(verdict, symptoms=tuple(symptoms)) if verdict.status == "not met" else verdict


def _same(wanted: Requirement, findings: Sequence[Finding]) -> RequirementVerdict:
    prefix = "differs-"
    odd = [
        one
        for one in findings
        if one.code.startswith(prefix)
        and (not wanted.names or one.code.removeprefix(prefix) in wanted.names)
    ]
    symptoms = []
    for one in odd:
        what = one.code.removeprefix(prefix)
        kind = "mtu" if what == "mtu" else "driver-differs"
        symptoms.append(Symptom(kind, one.nodes, fold(one.nodes), None, {"property": what}))
    compared = ", ".join(wanted.names) or "all that `weft check` compares"
    return settled(wanted, symptoms, [one.message for one in odd] or [f"compared: {compared}"])


def _path_mtu(
    wanted: Requirement, record: ClusterRecord, findings: Sequence[Finding]
) -> RequirementVerdict:
    narrow = [one for one in findings if one.code == "path-mtu"]
    if not narrow and not any(path.mtu_bytes for path in record.paths):
        return undecided(wanted, "paths on which datagrams are answered")
    symptoms = [
        Symptom("mtu", one.nodes, fold(one.nodes), "both", {"on_path": True}) for one in narrow
    ]
    return settled(wanted, symptoms, [one.message for one in narrow])


def _mtu(wanted: Requirement, record: ClusterRecord) -> RequirementVerdict:
    cases = []
    for node in record.alive:
        sizes = [one["mtu_bytes"] for one in node.interfaces if one and one["mtu_bytes"]]
        for size in map(float, sizes[:1]):
            facts: dict[str, Fact] = {"mtu_bytes": size, "on_path": False}
            symptom = Symptom("mtu", (node.name,), node.name, "both", facts)
            cases.append(Case(node.name, Interval(size, size, size), symptom=symptom))
    return decide(wanted, cases, more="interfaces that say their MTU")


def _clocks(record: ClusterRecord) -> Iterator[Case]:
    """The offset of each node's clock from the median of the clocks that it was compared with."""
    for node in record.alive:
        apart = [
            (_ahead_us(path, node), path.clock_error_us or 0.0) for path in _compared(record, node)
        ]
        if apart:
            ahead = float(np.median([one for one, _ in apart]))
            error = min(error for _, error in apart)
            away = abs(ahead)
            interval = Interval(away, max(0.0, away - error), away + error)
            facts: dict[str, Fact] = {"offset_us": ahead}
            yield Case(
                node.name, interval, symptom=Symptom("clock", (node.name,), node.name, None, facts)
            )


def _compared(record: ClusterRecord, node: NodeRecord) -> list[PathRecord]:
    return [
        path for path in record.paths if node.name in path.ends and path.clock_offset_us is not None
    ]


def _ahead_us(path: PathRecord, node: NodeRecord) -> float:
    offset_us = path.clock_offset_us or 0.0
    return offset_us if path.dst == node.name else -offset_us


def _datagrams(wanted: Requirement, record: ClusterRecord) -> RequirementVerdict:
    cases = []
    for node in record.alive:
        sent = datagrams(record, node.name)
        if sent.sent.sum():
            facts: dict[str, Fact] = {"lost_share": sent.share, **node_facts(record, node.name)}
            symptom = Symptom("loss", (node.name,), node.name, "both", facts)
            interval = lost_share([sent], of_nodes=len(record.alive))
            cases.append(Case(node.name, interval, symptom=symptom))
    return decide(wanted, cases, more="more datagrams: weft check sends few")
