"""Phases in the form that rank 0 reads: transfers, a library call, or a program with a part for each rank."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from textwrap import wrap

from weft import _core
from weft.measure.execute.ensemble.work import MOST_ROWS, ProgramWork
from weft.measure.execute.mpi.library import LibraryCalls
from weft.measure.execute.pair import StepJob
from weft.plan.phases import Phase
from weft.plan.plan import CountRule, TimeRule, to_json

_COMPUTE = {"spin": 0, "sleep": 1, "work": 2}
PIECE_CHARACTERS = 16_000
"""Size of a piece; a pipe holds about 64,000 characters."""
_MOST = 2**62
"""Stands for "no limit"."""


@dataclass(frozen=True)
class Orders:
    """`nodes` are the nodes of the ranks in order; `program` gives the phases that the library does not carry out."""

    _job: StepJob
    _nodes: Sequence[int]
    _program: ProgramWork | None
    _library: LibraryCalls

    def line(self, phase: Phase) -> str:
        """A phase as a line, with the step's stop rule or its own (read by source/phase.c)."""
        step = self._job.step
        work: str = phase.work
        if self._is_program(phase):
            work = "program"
        elif phase.index in self._library.phases:
            work = self._library.operation
        rank = {node: number for number, node in enumerate(self._nodes)}
        stop = phase.stop or step.stop
        rule: list[str | int] = (
            ["time", stop.trial_ns] if isinstance(stop, TimeRule) else _counted(stop)
        )
        transfers = [f"{rank[one.src]} {rank[one.dst]} {one.streams}" for one in phase.transfers]
        head = [phase.index, work, phase.size_bytes, *rule, stop.trials, len(transfers)]
        return " ".join(map(str, [*head, *transfers])) + "\n"

    def pieces(self, phases: Sequence[Phase]) -> Iterator[str]:
        """The pieces that rank 0 asks for after the lines of phases that are programs."""
        for phase in filter(self._is_program, phases):
            assert self._program is not None
            for part in self._parts(phase, self._program):
                pieces = wrap(part, PIECE_CHARACTERS, break_on_hyphens=False)
                yield from (f"{one} +\n" for one in pieces[:-1])
                yield f"{pieces[-1]}\n"

    def _is_program(self, phase: Phase) -> bool:
        return self._program is not None and phase.index not in self._library.phases

    def _parts(self, phase: Phase, program: ProgramWork) -> list[str]:
        """Each rank's part of a program, in the order of MPI ranks."""
        job = self._job
        peers = [self._nodes.index(node) for node in job.step.members(len(job.nodes))]
        if program.trace:
            parts = program.trace.lines(peers)
        else:
            step = to_json(job.step)
            parts = _core.Program.lines_of_step(step, phase.index, len(job.nodes), peers)
        rows = max(1, MOST_ROWS // (max(1, len(job.phases)) * len(peers)))
        head = f"{_COMPUTE[program.compute]} {min(program.rendezvous_bytes, _MOST)} {rows}"
        return [f"{head} {parts[peers.index(rank)]}" for rank in range(len(peers))]


def _counted(stop: CountRule) -> list[str | int]:
    return ["count", stop.repeats, stop.at_most_ns or 0]
