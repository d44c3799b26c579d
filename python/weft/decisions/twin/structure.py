"""The shape of a network according to a run: switches, their hosts, slow links, as a draft of a fabric file."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from weft.decisions.twin.draft import Draft
from weft.decisions.twin.facts import mtu_bytes
from weft.decisions.twin.sketch import SlowEnd, draft_of
from weft.decisions.twin.tree import flat, tree_of
from weft.plan.pattern import ManyNodes
from weft.runs.folder import RunFolder
from weft.understand.limits.diagnosis import study_of
from weft.understand.xray.outliers import slow_ports, slow_routes, suspects
from weft.understand.xray.study import SearchStudy

_FLAT = (
    "in no phase did nodes both send and receive at full rate, so groups are unknown: the twin has all hosts on one "
    "switch; measure the groups with `weft run xray`"
)


@dataclass(frozen=True)
class Structure:
    """A draft, and what does not fit into it."""

    draft: Draft
    warnings: tuple[str, ...] = ()


def structure_of(run: RunFolder, hosts: list[str], name: str) -> Structure:
    """The structure that a run shows; for few nodes, hosts on one cable or switch."""
    title = f"Twin of {run.meta.testbed.get('name', 'a cluster')}"
    if not run.meta.plan.steps_of(ManyNodes):
        return Structure(draft_of(flat(len(hosts)), hosts, name, title, mtu_bytes(run)))
    study = study_of(run)
    if not study.survey.nodes:
        unknown = (_FLAT,) if len(hosts) > 2 else ()
        return Structure(draft_of(flat(len(hosts)), hosts, name, title, mtu_bytes(run)), unknown)
    tree, refused = tree_of(study)
    slow, routes = _slow_ends(study), list(_slow_routes(study))
    draft = draft_of(tree, hosts, name, title, mtu_bytes(run), slow, routes)
    lost = [hosts[node] for node in range(len(hosts)) if node not in tree.members]
    warnings = [f"left out of the twin: {text}" for text in refused]
    if lost:
        warnings.append(f"{', '.join(lost)}: sent or received nothing: dead in the twin")
    return Structure(draft, tuple(warnings))


def _slow_ends(study: SearchStudy) -> list[SlowEnd]:
    ways: dict[int, list[str]] = {}
    for one in slow_ports(study.survey, study.ports, study.evidence.isolated, study.limits):
        ways.setdefault(one.node, []).append(one.direction)
    return [SlowEnd(host, tuple(ways[host])) for host in sorted(ways)]


def _slow_routes(study: SearchStudy) -> Iterator[tuple[int, int]]:
    flows = suspects(study.survey, study.ports, study.limits)
    for one in slow_routes(flows, study.retrials, study.ports, study.limits):
        yield one.src, one.dst
