"""Proposals from a twin: if it predicts badly, more has to be measured."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from weft.decisions.recommendations.action import Action, ActionEvidence, id_of
from weft.decisions.recommendations.remedy import Proposal
from weft.decisions.recommendations.sources.source import ClusterIdentity
from weft.decisions.twin.twin import TWIN, read_twin
from weft.runs.run_warnings import RunWarning

MOST_ERROR = 0.10
"""With a larger error on unseen rates, no purchase should rest on it."""
MORE_S = 420


class TwinFolder:
    """The output of `weft twin make`; it predicts the effect of other sources' proposals."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.twin, _ = read_twin(path)
        self.cluster = ClusterIdentity(
            dict.fromkeys(self.twin.nodes, ""), self.twin.testbed, self.twin.scale
        )
        self.when = (path / TWIN.name).stat().st_mtime

    @property
    def subject(self) -> tuple[object, ...]:
        return "twin", *self.twin.nodes

    @property
    def said(self) -> str:
        return f"a twin: {self.twin.plain_verdict}"

    @property
    def warnings(self) -> tuple[RunWarning, ...]:
        """The warnings of its runs."""
        return tuple(self.twin.run_warnings)

    def proposals(self) -> Iterator[Proposal]:
        """A proposal if its error is too large."""
        if self.twin.is_error_known and self.twin.rate_error <= MOST_ERROR:
            return
        command = f"weft run xray {self.cluster.on()} --set steps.search.time='\"{MORE_S} s\"'"
        action = Action(
            id=id_of("measure", "twin"),
            kind="measure",
            do=f"measure more for the twin, which is not good enough to buy by: {self.twin.verdict}",
            element="the twin",
            nodes=tuple(self.twin.nodes),
            effort="minutes",
            evidence=(ActionEvidence(str(self.path), self.twin.verdict, "held-out"),),
            commands=(command,),
        )
        yield Proposal(action)
