"""Collects the results of each phase until all of its nodes have finished it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field

import pyarrow as pa
import pyarrow.compute as pc

from weft.measure.execute.ensemble.work import Work
from weft.measure.execute.logbook import Logbook
from weft.measure.testbed.agent.reply import Activities, Driven, PhaseOver
from weft.measure.testbed.agent.wire_format import Evidence
from weft.plan.phases import Phase
from weft.runs.windows import are_measured

_MOST_NAMED = 4
TRIES = 3
"""How often a phase is measured if some of its windows gave no rate. Searches do not repeat phases: with many nodes
behind a narrow link nearly every round has such a window, and the search repeats what matters."""


@dataclass
class _Arrived:
    """What the nodes have reported of one phase."""

    batches: list[pa.RecordBatch] = field(default_factory=list)
    evidence: list[tuple[int, Evidence]] = field(default_factory=list)
    activities: dict[int, Activities] = field(default_factory=dict)
    driven: dict[int, Driven] = field(default_factory=dict)
    barriers_us: list[float] = field(default_factory=list)
    over: set[int] = field(default_factory=set)
    failed: dict[tuple[int, int], str] = field(default_factory=dict)


class PhaseCollector:
    """Collects phases and hands each to the logbook when it is over.

    A phase is settled when all nodes have finished it, or when it has begun and can no longer be finished: then what
    has arrived is kept, and the phase is marked incomplete. A phase of which nothing arrived can be run again. So can
    one in which some windows were too short or empty, TRIES times in all; the try with the fewest such windows is kept.
    """

    def __init__(self, logbook: Logbook, lost: Collection[int], work: Work) -> None:
        """`lost` may grow: phases go on without these nodes."""
        self._logbook = logbook
        self._lost = lost
        self._work = work
        self._phases: dict[int, Phase] = {}
        self._arrived: dict[int, _Arrived] = {}
        self._tried: dict[int, list[_Arrived]] = {}
        self._settled: set[int] = set()
        self._tries = 1 if logbook.meta.plan.is_search else TRIES

    def expect(self, phases: list[Phase]) -> None:
        """Add phases that are to be measured, with all their nodes, lost or not."""
        self._phases |= {phase.index: phase for phase in phases}

    def to_run(self, phases: Iterable[Phase]) -> list[Phase]:
        """The phases without lost nodes; phases with no transfer left are omitted."""
        left = []
        for phase in phases:
            rest = self._work.without(phase, self._lost)
            if rest is None:
                self.leave_out(phase.index)
            else:
                left.append(rest)
        return left

    def is_settled(self, phase: Phase) -> bool:
        return phase.index in self._settled

    def current(self) -> int | None:
        """The first phase that is not settled: the one that is running or comes next."""
        left = self._phases.keys() - self._settled
        return min(left, key=lambda phase: (len(self._tried.get(phase, ())), phase), default=None)

    def samples(self, batch: pa.RecordBatch) -> None:
        """Take samples of one phase from one node."""
        self._of(batch.column("phase")[0].as_py()).batches.append(batch)

    def recorded(self, node: int, said: Evidence) -> None:
        """Take what a node recorded during one phase; it arrives before the samples."""
        self._of(said.rows.column("phase")[0].as_py()).evidence.append((node, said))

    def spent(self, node: int, said: Activities) -> None:
        """Take how a node spent its time in a phase that is a program; it arrives before the phase is over."""
        self._of(said.phase).activities[node] = said

    def driven(self, node: int, said: Driven) -> None:
        """Take where the cars of a node are after a traffic phase; it arrives before the phase is over."""
        self._of(said.phase).driven[node] = said

    def over(self, node: int, said: PhaseOver, members: Collection[int]) -> None:
        """Note that a node has finished a phase."""
        arrived = self._of(said.phase)
        arrived.over.add(node)
        arrived.barriers_us.append(said.barrier_us)
        for one in said.failed:
            arrived.failed.setdefault((one.src, one.dst), one.reason)
        if arrived.over.issuperset(members):
            tried = self._tried.setdefault(said.phase, [])
            tried.append(self._arrived.pop(said.phase))
            if len(tried) == self._tries or not self._unmeasured(arrived):
                self._settle(said.phase)

    def give_up(self) -> None:
        """The session has ended: settle the phases of which something arrived."""
        for phase in [index for index, arrived in self._arrived.items() if arrived.batches]:
            self._settle(phase)
        self._arrived.clear()

    def leave_out(self, phase: int) -> None:
        """Do not try a phase (again)."""
        if phase not in self._settled:
            self._settle(phase)

    def _of(self, phase: int) -> _Arrived:
        return self._arrived.setdefault(phase, _Arrived())

    def _settle(self, phase: int) -> None:
        arrived = self._arrived.pop(phase, _Arrived())
        arrived = min(self._tried.pop(phase, [arrived]), key=self._unmeasured)
        self._settled.add(phase)
        for node, said in of_whole_phases(arrived.batches, arrived.evidence):
            self._logbook.evidence.take(node, said)
        participants = self._work.participants(self._phases[phase])
        if arrived.activities and arrived.over.issuperset(participants):
            self._logbook.spent(arrived.activities)
            if arrived.driven:
                self._logbook.driven(arrived.driven, arrived.activities)
        self._logbook.phases_measured([phase], arrived.batches)
        self._logbook.barrier(phase, arrived.barriers_us)
        self._mark_missing(phase, arrived)

    def _unmeasured(self, arrived: _Arrived) -> int:
        """How many rows contain no measurement."""
        steps = self._logbook.meta.plan.steps
        return sum(int((~are_measured(steps, batch)).sum()) for batch in arrived.batches)

    def _mark_missing(self, phase: int, arrived: _Arrived) -> None:
        """Record the nodes that a phase lacked, and the transfers that failed between others."""
        gone = self._work.participants(self._phases[phase]) & set(self._lost) - arrived.over
        if gone:
            names = ", ".join(self._logbook.names(gone))
            self._logbook.phase_incomplete(phase, gone, f"without {names}")
        wanted = self._work.ends(self._phases[phase])
        missing = wanted - _measured(arrived.batches) | set(arrived.failed)
        missing = {pair for pair in missing if gone.isdisjoint(pair)}
        if missing:
            nodes = {node for pair in missing for node in pair}
            self._logbook.phase_incomplete(phase, nodes, self._describe(missing, arrived.failed))

    def _describe(self, missing: set[tuple[int, int]], failed: dict[tuple[int, int], str]) -> str:
        name = self._logbook.name
        words = [
            f"{name(src)} to {name(dst)}: {failed.get((src, dst), 'no samples')}"
            for src, dst in sorted(missing)[:_MOST_NAMED]
        ]
        more = len(missing) - len(words)
        return "; ".join(words) + (f"; and {more} more" if more > 0 else "")


def of_whole_phases(
    batches: Iterable[pa.RecordBatch], evidence: Iterable[tuple[int, Evidence]]
) -> Iterator[tuple[int, Evidence]]:
    """The evidence of nodes, each phase as one stretch that covers all batches in which the node took part."""
    count: dict[tuple[int, int], int] = {}
    for batch in batches:
        columns = (batch[name].to_pylist() for name in ("phase", "src", "dst", "batch"))
        for phase, *ends, number in zip(*columns, strict=True):
            for node in ends:
                count[node, phase] = max(count.get((node, phase), 0), number + 1)
    for node, said in evidence:
        rows, names = said.rows, said.rows.schema.names
        own = [count.get((node, phase), 0) for phase in rows["phase"].to_pylist()]
        rows = rows.set_column(names.index("batches"), "batches", pa.array(own, pa.int32()))
        yield node, Evidence(rows.filter(pc.greater(rows["batches"], 0)))


def _measured(batches: list[pa.RecordBatch]) -> set[tuple[int, int]]:
    return {
        pair
        for batch in batches
        for pair in zip(batch["src"].to_pylist(), batch["dst"].to_pylist(), strict=True)
    }
