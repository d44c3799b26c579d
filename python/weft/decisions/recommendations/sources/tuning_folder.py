"""Proposals from a tuning: settings that won and were confirmed, with their effect."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from weft.decisions.recommendations.action import (
    Action,
    ActionEffect,
    ActionEvidence,
    ByHand,
    Check,
    ExpectedEffect,
    PlanCheck,
    id_of,
)
from weft.decisions.recommendations.measured import measured
from weft.decisions.recommendations.remedy import Proposal
from weft.decisions.recommendations.sources.bases import WorkSource
from weft.knobs.recommendation import Recommendation
from weft.measure.execute.work_folder import read_request
from weft.operate.tuning.first_look import PLAN
from weft.operate.tuning.opening import FIRST_LOOK
from weft.operate.tuning.request import COMMAND, TuneRequest
from weft.operate.tuning.tune import TUNING
from weft.operate.tuning.tuning import TuningResult
from weft.runs.folder import RunFolder
from weft.runs.meta import FILE_NAME
from weft.understand.curve.points import points

_PATTERNS = {"stream": "stream", "latency": "pingpong", "mixed": "stream"}
"""The pattern of the step of the first look that corresponds to a goal."""


class TuningFolder(WorkSource[TuningResult, TuneRequest]):
    """The output of `weft tune`."""

    @classmethod
    def read(cls, path: Path) -> TuningFolder:
        """Read a folder; raises RequestError if it is damaged."""
        return cls(path, TUNING.read(path), read_request(str(path), TuneRequest, COMMAND))

    @property
    def subject(self) -> tuple[object, ...]:
        return "tune", self.found.goal, *self.found.nodes

    @property
    def said(self) -> str:
        return f"{' and '.join(self.found.nodes)} for {self.found.goal}: {self.found.plain_verdict}"

    def proposals(self) -> Iterator[Proposal]:
        """Settings that won, and a longer tuning for what was left open."""
        for one in self.found.recommendations:
            if one.proposed != one.current:
                yield Proposal(self._setting(one))
        if self.found.undecided and not self.found.recommendations:
            yield Proposal(self._undecided())

    def _setting(self, one: Recommendation) -> Action:
        effect = one.effect and ActionEffect(self._workload, one.effect, "measured")
        return Action(
            id=id_of("set", one.knob, *one.nodes),
            kind="tune",
            do=f"set {one.knob} to {one.proposed} on {' and '.join(one.nodes)} (now {one.current})",
            element=f"{one.knob} on {' and '.join(one.nodes)}",
            nodes=one.nodes,
            effort="minutes",
            evidence=tuple(ActionEvidence(str(self.path), text, one.knob) for text in one.evidence),
            effect=effect or None,
            blocks=effect is None,
            commands=one.permanent or one.apply,
            checks=(self._check(one),),
        )

    @property
    def _workload(self) -> str:
        return f"{self.found.goal} between {' and '.join(self.found.nodes)}"

    def _check(self, one: Recommendation) -> Check:
        """The first look again, which measured both goals before anything was changed."""
        before = self.path / FIRST_LOOK
        pattern = _PATTERNS.get(self.found.goal)
        if one.effect is None or pattern is None or not (before / FILE_NAME).exists():
            command = f"weft tune {self.cluster.on()} --for {self.found.goal} --knobs {one.knob}"
            return ByHand(f"`{command}` shows whether another value is still better")
        run = RunFolder.open(before)
        steps = run.meta.plan.steps
        expected = tuple(
            ExpectedEffect(name, point.size_bytes, one.effect, "time", seen, "measured")
            for point in points(run)
            if point.pattern == pattern
            and (name := steps[point.step].name)
            and (seen := measured(run, name, point.size_bytes, "time"))
        )
        return PlanCheck(PLAN, expected, run=str(before))

    def _undecided(self) -> Action:
        named = "; ".join(self.found.undecided)
        minutes = round(2 * self.found.elapsed_s / 60) or 2
        command = f"weft tune {self.cluster.on()} --for {self.found.goal} --time '{minutes} min'"
        return Action(
            id=id_of("measure", "tune", self.found.goal, *self.found.nodes),
            kind="measure",
            do=f"tune for {minutes} minutes: {named}",
            element=f"settings of {' and '.join(self.found.nodes)}",
            nodes=self.found.nodes,
            effort="minutes",
            evidence=(ActionEvidence(str(self.path), named, "undecided"),),
            commands=(command,),
        )
