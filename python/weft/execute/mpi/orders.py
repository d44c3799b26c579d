"""Phases as rank 0 reads them: transfers, a call of the library, or a program with a part for each rank."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property

from weft import _core
from weft.execute.ensemble.work import MOST_ROWS, compute_of
from weft.execute.pair import StepJob
from weft.plan.pattern import Collective, Dependent, Program
from weft.plan.phases import Phase
from weft.plan.plan import CountRule, to_json
from weft.plan.trace_file import read_program

_COMPUTE = {"spin": 0, "sleep": 1, "work": 2}
_MOST = 2**62
"""Stands for no limit."""


@dataclass(frozen=True)
class Orders:
    """`nodes` are those of the ranks in their order, `of_library` the phases that the MPI library carries out itself."""

    _job: StepJob
    _nodes: Sequence[int]
    _of_library: Collection[int]

    def text(self, phase: Phase) -> str:
        """The lines of a phase, with the step's rule or its own (source/phase.c)."""
        step = self._job.step
        is_program = step.is_program and phase.index not in self._of_library
        work: str = "program" if is_program else phase.work
        if isinstance(step.pattern, Collective) and not is_program:
            work = step.pattern.operation
        rank = {node: number for number, node in enumerate(self._nodes)}
        stop = phase.stop or step.stop
        rule = ("count", stop.repeats) if isinstance(stop, CountRule) else ("time", stop.trial_ns)
        transfers = [f"{rank[one.src]} {rank[one.dst]} {one.streams}" for one in phase.transfers]
        head = [phase.index, work, phase.size_bytes, *rule, stop.trials, len(transfers)]
        lines = [" ".join(map(str, [*head, *transfers]))]
        return "\n".join([*lines, *(self._parts(phase) if is_program else [])]) + "\n"

    def _parts(self, phase: Phase) -> list[str]:
        """Each rank's part of a program, in the order of the MPI's ranks."""
        job = self._job
        places = list(job.step.chosen_nodes or range(len(job.nodes)))
        peers = [self._nodes.index(node) for node in places]
        if self._trace:
            parts = self._trace.lines(peers)
        else:
            step = to_json(job.step)
            parts = _core.Program.lines_of_step(step, phase.index, len(job.nodes), peers)
        rows = max(1, MOST_ROWS // (max(1, len(job.phases)) * len(peers)))
        head = f"{_COMPUTE[compute_of(job.step.pattern)]} {min(self._rendezvous_bytes, _MOST)} {rows}"
        return [f"{head} {parts[peers.index(rank)]}" for rank in range(len(peers))]

    @cached_property
    def _trace(self) -> _core.Program | None:
        pattern = self._job.step.pattern
        return read_program(pattern) if isinstance(pattern, Program) else None

    @property
    def _rendezvous_bytes(self) -> int:
        """Settled for a trace, too, when its digest was taken."""
        pattern = self._job.step.pattern
        assert isinstance(pattern, Dependent) and pattern.rendezvous_bytes is not None
        return pattern.rendezvous_bytes
