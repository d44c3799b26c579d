"""What a session of many nodes does: transfers of phases, or the parts of programs."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import msgspec

from weft import _core
from weft.measure.execute.pair import StepJob
from weft.measure.testbed.agent import request
from weft.measure.testbed.agent.request import Request
from weft.plan.pattern import Compute, Traffic
from weft.plan.phases import Phase
from weft.plan.plan import to_json
from weft.plan.roles import participants, parts, without

MOST_ROWS = 2_000_000
"""Most messages of a step's programs whose times are kept in a launch."""


class Work(Protocol):
    """How phases are divided among nodes."""

    def participants(self, phase: Phase) -> set[int]:
        """The nodes that take part."""

    def without(self, phase: Phase, lost: Collection[int]) -> Phase | None:
        """The phase without lost nodes; None if nothing is left of it."""

    def ends(self, phase: Phase) -> set[tuple[int, int]]:
        """The sources and destinations that must have samples."""

    def requests(self, phases: Sequence[Phase], members: Sequence[int]) -> dict[int, Request]:
        """The request for each member."""


@dataclass(frozen=True)
class Transfers:
    """Transfers that run at the same time: a phase continues without lost nodes."""

    _job: StepJob

    def participants(self, phase: Phase) -> set[int]:
        return participants(phase)

    def without(self, phase: Phase, lost: Collection[int]) -> Phase | None:
        left = without(phase, lost)
        return left if left.transfers else None

    def ends(self, phase: Phase) -> set[tuple[int, int]]:
        return {one.ends for one in phase.transfers}

    def requests(self, phases: Sequence[Phase], members: Sequence[int]) -> dict[int, Request]:
        by_phase = [parts(phase, members, self._job.step) for phase in phases]
        return {
            node: request.Phases(
                step_index=self._job.step_index,
                launch=self._job.launch,
                phases=[one[node] for one in by_phase],
            )
            for node in members
        }


@dataclass(frozen=True)
class ProgramWork:
    """Programs: each needs all of its ranks, whose nodes are given here."""

    _job: StepJob
    _ranks: tuple[int, ...]
    compute: Compute
    """How ranks spend their computing time."""
    trace: _core.Program | None
    """The program, unless it follows from the step."""
    rendezvous_bytes: int
    """Messages longer than this wait for their receive to be posted."""

    def participants(self, phase: Phase) -> set[int]:
        return set(self._ranks)

    def without(self, phase: Phase, lost: Collection[int]) -> Phase | None:
        return None if set(self._ranks) & set(lost) else phase

    def ends(self, phase: Phase) -> set[tuple[int, int]]:
        return set()

    def requests(self, phases: Sequence[Phase], members: Sequence[int]) -> dict[int, Request]:
        step = self._job.step
        rows = max(1, MOST_ROWS // (max(1, len(self._job.phases)) * len(self._ranks)))
        return {
            node: request.Programs(
                step_index=self._job.step_index,
                launch=self._job.launch,
                step=step,
                ranks=self._ranks,
                compute=self.compute,
                rows=rows,
                phases=[self._part(phase, node) for phase in phases],
            )
            for node in members
        }

    def _part(self, phase: Phase, node: int) -> request.ProgramPart:
        if self.trace is None:
            return request.ProgramPart(phase=phase.index)
        part = self.trace.part_of(self._ranks.index(node))
        return request.ProgramPart(phase=phase.index, node=msgspec.Raw(part.encode()))


@dataclass(frozen=True)
class TrafficWork:
    """Traffic over the first nodes of these; a phase needs all nodes that it names."""

    _job: StepJob
    _pattern: Traffic
    _ranks: tuple[int, ...]

    def participants(self, phase: Phase) -> set[int]:
        return set(self._ranks[: self._counts[phase.index]])

    def without(self, phase: Phase, lost: Collection[int]) -> Phase | None:
        return None if self.participants(phase) & set(lost) else phase

    def ends(self, phase: Phase) -> set[tuple[int, int]]:
        return set()

    def requests(self, phases: Sequence[Phase], members: Sequence[int]) -> dict[int, Request]:
        asked = request.Traffics(
            step_index=self._job.step_index,
            launch=self._job.launch,
            traffic=self._pattern,
            ranks=self._ranks,
            phases=[
                request.TrafficPart(phase=one.index, nodes=self._counts[one.index])
                for one in phases
            ],
        )
        return dict.fromkeys(members, asked)

    @cached_property
    def _counts(self) -> list[int]:
        return _core.traffic_counts(to_json(self._job.step), len(self._ranks))
