"""Phases as rank 0 reads them: transfers, a call of the library, or a program with a part for each rank."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from textwrap import wrap

from weft import _core
from weft.measure.execute.ensemble.work import MOST_ROWS, compute_of
from weft.measure.execute.pair import StepJob
from weft.plan.pattern import Collective, Dependent, Program
from weft.plan.phases import Phase
from weft.plan.plan import CountRule, TimeRule, to_json
from weft.plan.trace_file import read_program

_COMPUTE = {"spin": 0, "sleep": 1, "work": 2}
PIECE_CHARACTERS = 16_000
"""A pipe holds some 64,000."""
_MOST = 2**62
"""Stands for no limit."""


@dataclass(frozen=True)
class Orders:
    """`nodes` are those of the ranks in their order, `of_library` the phases that the library itself carries out."""

    _job: StepJob
    _nodes: Sequence[int]
    _of_library: Collection[int]

    def line(self, phase: Phase) -> str:
        """A phase, with the step's rule or its own (source/phase.c)."""
        step = self._job.step
        work: str = phase.work
        if self._is_program(phase):
            work = "program"
        elif isinstance(step.pattern, Collective):
            work = step.pattern.operation
        rank = {node: number for number, node in enumerate(self._nodes)}
        stop = phase.stop or step.stop
        rule: list[str | int] = (
            ["time", stop.trial_ns] if isinstance(stop, TimeRule) else _counted(stop)
        )
        transfers = [f"{rank[one.src]} {rank[one.dst]} {one.streams}" for one in phase.transfers]
        head = [phase.index, work, phase.size_bytes, *rule, stop.trials, len(transfers)]
        return " ".join(map(str, [*head, *transfers])) + "\n"

    def pieces(self, phases: Sequence[Phase]) -> Iterator[str]:
        """What rank 0 asks for behind the lines of phases that are programs."""
        for phase in filter(self._is_program, phases):
            for part in self._parts(phase):
                pieces = wrap(part, PIECE_CHARACTERS, break_on_hyphens=False)
                yield from (f"{one} +\n" for one in pieces[:-1])
                yield f"{pieces[-1]}\n"

    def _is_program(self, phase: Phase) -> bool:
        return self._job.step.is_program and phase.index not in self._of_library

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
        head = (
            f"{_COMPUTE[compute_of(job.step.pattern)]} {min(self._rendezvous_bytes, _MOST)} {rows}"
        )
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


def _counted(stop: CountRule) -> list[str | int]:
    return ["count", stop.repeats, stop.at_most_ns or 0]
