"""The study: from the trials so far, what is known about every group and what should be tried next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from weft.diagnose.xray.between import Between
from weft.diagnose.xray.evidence import Evidence
from weft.diagnose.xray.isolated import isolated_requests, ports_of, retrial_requests
from weft.diagnose.xray.knowledge import Knowledge
from weft.diagnose.xray.limit import without_explained
from weft.diagnose.xray.survey import Survey
from weft.diagnose.xray.tree.grouping import Group, group_by_round_trip
from weft.diagnose.xray.trial import Trial
from weft.diagnose.xray.within import Within

PASSES = 4
"""What is found high up is known only in the next pass to those below."""


class Study(Knowledge):
    """Everything that follows from a survey and the trials of a search.

    Groups are studied from the smallest up, since what a group sends is also limited by what its
    parts can: first each by itself, then what passes between the parts of the next larger one. When
    nothing more will be tried (`is_over`), what is open is noted and the rest goes on.
    """

    def __init__(self, survey: Survey) -> None:
        super().__init__(survey, group_by_round_trip(survey.nodes, survey.trips_us))
        self.groups: list[Group] = []
        self.between = Between(self)
        self._within = Within(self)

    def update(self, trials: Sequence[Trial]) -> None:
        """Draw all conclusions anew from these trials; fills `limits`, `groups`, `undecided` and `requests`."""
        lost = self.survey.lost
        evidence = Evidence([trial.without(lost) if lost else trial for trial in trials])
        self.begin(evidence, ports_of(self.survey, evidence))
        self.between.begin()
        self.groups = []
        if not self.survey.nodes:
            return
        self.requests = isolated_requests(self.survey, self.candidates, self.evidence, self.ports)
        if (self.requests and not self.is_over) or len(self.candidates.members) < 3:
            return
        for _ in range(PASSES):
            self.limits, self.undecided = [], []
            self._visit(self.candidates, None)
            self.limits = without_explained(self.limits, self.ports)
            if (self.requests and not self.is_over) or [one.identity for one in self.limits] == [
                one.identity for one in self.known
            ]:
                break
            self.known = self.limits
        self.groups = self._limited_groups()
        self.requests = self.requests or retrial_requests(
            self.survey, self.evidence, self.ports, self.limits
        )

    @property
    def bisection_shares(self) -> list[float]:
        """What each random bisection delivered of what the ports allow."""
        found = self.evidence.of_kind("bisection")
        return [float(t.mbps.sum() / self.expected_mbps(t, []).sum()) for t in found]

    def _visit(self, group: Group, parent: Group | None) -> bool:
        """Study a group after those below it; returns whether all about it is decided."""
        visited = [self._visit(child, group) for child in group.children]
        loose = group.members.difference(*(child.members for child in group.children))
        hidden = self._within.parts(loose)
        if hidden is None or not all(visited):
            return False
        parts = (*group.children, *(Group(part) for part in hidden))
        return not parts or self.between.study(replace(group, children=parts), parent)

    def _limited_groups(self) -> list[Group]:
        """The groups that share a limit, largest first; both sides of what cuts all nodes in two."""
        all_nodes = self.candidates.members
        support = {group.members: group for group in self.candidates.walk()}
        limited = {limit.members for limit in self.limits}
        halves = {all_nodes - one for one in limited if {one, all_nodes - one} <= set(support)}
        halves = {one for one in halves if len(self.between.parts_of(all_nodes)) == 2}
        named = sorted(limited | halves, key=lambda one: (-len(one), min(one)))
        return [support.get(members, Group(members)) for members in named]
