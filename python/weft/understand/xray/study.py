"""The study: what the trials so far show about every group, and what should be tried next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from weft.understand.xray.between import study_between
from weft.understand.xray.cache import TurnCache
from weft.understand.xray.evidence import TrialEvidence
from weft.understand.xray.flows import Members
from weft.understand.xray.isolated import isolated_requests, ports_of, retrial_requests
from weft.understand.xray.knowledge import Knowledge, SearchAnswer
from weft.understand.xray.limit.limit import PortRates, SharedLimit
from weft.understand.xray.limit.rates import predict, without_explained
from weft.understand.xray.request import ExperimentRequest
from weft.understand.xray.several_paths import DOUBTS_A_CORE, Leaves, by_itself, has_several_paths
from weft.understand.xray.survey import Survey
from weft.understand.xray.tree.grouping import Group
from weft.understand.xray.trial import FlowTrial
from weft.understand.xray.within import study_within

PASSES = 4
"""The most passes over the groups; limits found higher up become known to lower groups only in the next pass."""


@dataclass(frozen=True)
class SearchStudy:
    """All conclusions from a survey and the trials of a search.

    `groups` share a limit, largest first; `undecided` are open questions with their nodes. With several paths between
    leaves, flows collide by chance.
    """

    survey: Survey
    evidence: TrialEvidence
    ports: PortRates
    limits: Sequence[SharedLimit] = ()
    groups: Sequence[Group] = ()
    undecided: Sequence[tuple[str, Members]] = ()
    requests: Sequence[ExperimentRequest] = ()
    has_several_paths: bool = False

    @property
    def retrials(self) -> list[FlowTrial]:
        """The trials that give the rate of a route in isolation."""
        isolated = self.evidence.isolated
        if not self.has_several_paths:
            return isolated
        return by_itself(Leaves(self.survey.candidates), isolated)

    @property
    def bisection_shares(self) -> list[float]:
        """The rate of each random bisection over that which the ports allow."""
        found = self.evidence.of_kind("bisection")
        return [float(t.mbps.sum() / predict(t, self.ports, []).sum()) for t in found]


def conclude(
    survey: Survey,
    trials: Sequence[FlowTrial],
    is_over: bool = False,
    cache: TurnCache | None = None,
) -> SearchStudy:
    """Concludes from a survey and trials; `is_over` if there will be no more of them.

    Groups are studied from the smallest up, because a group's traffic is also limited by its parts: first each group by
    itself, then the traffic between the parts of the next larger one. A `cache` keeps results for the next turn, with
    more trials.
    """
    lost = survey.lost
    evidence = TrialEvidence([trial.without(lost) if lost else trial for trial in trials])
    ports = ports_of(survey, evidence)
    study = SearchStudy(survey, evidence, ports)
    if not survey.nodes:
        return study
    requests = isolated_requests(survey, survey.candidates, evidence, ports)
    if (requests and not is_over) or len(survey.nodes) < 3:
        return replace(study, requests=requests)
    cache = cache or TurnCache()
    cache.turn()
    leaves = Leaves(survey.candidates)
    several = has_several_paths(leaves, evidence, ports, cache)
    known = Knowledge(survey, evidence, ports, is_over, several, cache=cache)
    found, limits = _find(known)
    if not several and not found.requests and any(one.kind == "core" for one in limits):
        several = has_several_paths(leaves, evidence, ports, cache, DOUBTS_A_CORE)
        if several:
            found, limits = _find(replace(known, has_several_paths=True))
    requests = [*requests, *found.requests] or retrial_requests(
        survey, evidence, ports, limits, several
    )
    groups = _limited_groups(survey.candidates, limits, len(found.parts))
    undecided = [*_unplaced(survey), *found.undecided]
    return SearchStudy(survey, evidence, ports, limits, groups, undecided, requests, several)


def _find(known: Knowledge) -> tuple[SearchAnswer, list[SharedLimit]]:
    """The answer about all groups, visited until nothing changes, and the limits needed to explain it."""
    for _ in range(PASSES):
        found = _visit(known, known.survey.candidates, None)
        limits = without_explained(found.limits, known.ports)
        before = [one.identity for one in known.known]
        if (found.requests and not known.is_over) or [one.identity for one in limits] == before:
            break
        known = replace(known, known=tuple(limits))
    return found, limits


def _unplaced(survey: Survey) -> list[tuple[str, Members]]:
    """The open question about nodes with too few round trips; more `rounds` of them would answer it."""
    nodes = survey.placement.unplaced
    question = f"which others {len(nodes)} nodes are near, of too few round trips"
    return [(question, nodes)] if nodes else []


def _visit(known: Knowledge, group: Group, parent: Group | None = None) -> SearchAnswer:
    """Studies a group after its descendants; the answer has its parts."""
    below = known.each(lambda now, child: _visit(now, child, group), group.children)
    loose = group.members.difference(*(child.members for child in group.children))
    inside = study_within(known.after(below), loose)
    found = replace(below + inside, parts=())
    whole = replace(group, children=(*group.children, *map(Group, inside.parts)))
    if not found.is_decided or not whole.children:
        return found
    between = study_between(known.after(found), whole, parent)
    return replace(found + between, parts=tuple(whole.parts))


def _limited_groups(candidates: Group, limits: Sequence[SharedLimit], parts: int) -> list[Group]:
    """The groups that share a limit, largest first; if all nodes are cut in two, both halves."""
    all_nodes = candidates.members
    support = {group.members: group for group in candidates.walk()}
    limited = {limit.members for limit in limits}
    halves = {all_nodes - one for one in limited if {one, all_nodes - one} <= set(support)}
    named = limited | halves if parts == 2 else limited
    largest_first = sorted(named, key=lambda one: (-len(one), min(one)))
    return [support.get(members, Group(members)) for members in largest_first]
