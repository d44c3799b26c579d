"""One step between many ranks of an MPI, phase after phase until the job fails.

Rank 0 reads phases (orders.py). It prints `more` for each piece of a program that it wants, `library VERSION`, `clock
RANK OFFSET_NS ERROR_NS` for each rank, `row PHASE BATCH SRC DST BYTES MESSAGES START_NS ELAPSED_NS` for each sample,
and `over PHASE BARRIER_NS ...` at the end of a phase. Before the end of a program it prints how each rank spent its
time: `spent PHASE RANK START_NS END_NS COMPUTE_NS COMMUNICATE_NS` for each execution, and `lap PHASE RANK LAP BEGIN_NS
END_NS RECEIVED_BYTES` for each lap.
"""

from __future__ import annotations

import contextlib
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from weft.measure.execute.crew import Crew, living
from weft.measure.execute.ensemble.arrivals import PhaseCollector, of_whole_phases
from weft.measure.execute.ensemble.work import ProgramWork, Work
from weft.measure.execute.logbook import Logbook
from weft.measure.execute.mpi.beside import recorded
from weft.measure.execute.mpi.job import MpiJob
from weft.measure.execute.mpi.launch import launch
from weft.measure.execute.mpi.library import LibraryCalls, spent, wrong_result
from weft.measure.execute.mpi.orders import Orders
from weft.measure.execute.pair import StepJob
from weft.measure.testbed.agent.agent import AgentError, Recorded
from weft.measure.testbed.agent.reply import Activities, Activity, JoinReply, Lap, PhaseOver
from weft.measure.testbed.agent.wire_format import Evidence
from weft.measure.testbed.base import Testbed
from weft.plan.phases import Phase
from weft.runs.samples import SCHEMA

_ROW = ("phase", "batch", "src", "dst", "size_bytes", "messages", "start_ns", "elapsed_ns")


@dataclass
class MpiEnsemble:
    """Runs phases over the nodes of `nodes` that are left, as `EnsembleEngine` does with agents.

    An MPI job ends when any of its ranks does. If a node's agent has ended too, another job is started without that
    node; if all agents are alive, the step has failed.
    """

    _testbed: Testbed
    _crew: Crew
    _nodes: set[int]
    _job: StepJob
    _logbook: Logbook
    _work: Work
    _library_calls: LibraryCalls

    def __post_init__(self) -> None:
        self._ledger = PhaseCollector(self._logbook, self._crew.lost.keys(), self._work)
        self._program = self._work if isinstance(self._work, ProgramWork) else None
        self._running: MpiJob | None = None
        self._ranks: list[int] = []
        self._stack = contextlib.AsyncExitStack()
        self._rows: list[dict[str, int]] = []
        self._spent: dict[int, list[Activity]] = defaultdict(list)
        self._laps: dict[int, list[Lap]] = defaultdict(list)
        self._evidence: dict[int, list[pa.Table]] = defaultdict(list)
        self._library = ""

    async def run(self, phases: list[Phase]) -> None:
        """Run all phases, as far as nodes are left for them; raises TooFewNodes, or AgentError if the job fails."""
        self._ledger.expect(phases)
        try:
            while remaining := [one for one in phases if not self._ledger.is_settled(one)]:
                try:
                    await self._run_some(remaining)
                except AgentError as error:
                    await self._recover(error)
        except BaseException:
            await self._stack.aclose()
            raise

    async def close(self) -> None:
        """End the job."""
        if self._running:
            await self._running.finish()
        await self._end_job()

    async def _end_job(self) -> None:
        """End the job, if one runs, and hand on what was recorded beside it."""
        await self._stack.aclose()
        log = self._logbook
        samples = log.writer.samples.filter(
            (pc.field("step") == log.step) & (pc.field("launch") == log.launch)
        )
        for node, tables in self._evidence.items():
            recorded_once = [(node, one) for one in _tried_once(tables)]
            for evidence in of_whole_phases(samples.to_batches(), recorded_once):
                log.evidence.take(*evidence)
        self._evidence.clear()

    def _recorded(self, node: int, said: Recorded) -> None:
        if isinstance(said, Evidence):
            self._evidence[node].append(pa.Table.from_batches([said.rows]))
        else:
            self._logbook.evidence.take(node, said)

    async def _run_some(self, phases: list[Phase]) -> None:
        job = await self._started()
        orders = Orders(self._job, self._ranks, self._program, self._library_calls)
        asked = self._ledger.to_run(phases)
        # Rank 0 asks for pieces between its lines, so a program's lines are sent one by one.
        for told in [[one] for one in asked] if self._program else [asked]:
            await self._carry_out(job, orders, told)

    async def _carry_out(self, job: MpiJob, orders: Orders, phases: Sequence[Phase]) -> None:
        job.tell("".join(map(orders.line, phases)))
        pieces = orders.pieces(phases)
        over = 0
        while over < len(phases):
            words = await job.words()
            if words == ["more"]:
                job.tell(next(pieces))
            self._take(words)
            over += words[0] == "over"

    async def _started(self) -> MpiJob:
        if self._running is None:
            members = living(self._logbook, self._nodes, self._crew)
            self._ranks = _in_order_of_ranks(self._testbed, members)
            first = self._crew.agents[self._ranks[0]]
            epoch_ns = self._job.epoch_ns + await first.clock_offset_ns()
            settings: dict[str, object] = {
                "pattern": "many",
                "calls": self._calls,
                "epoch_ns": epoch_ns,
                "verify": int(self._job.step.options.verify),
            }
            patience_s = self._job.patience_s
            ranks = [(one, self._testbed.nodes[one], self._crew.agents[one]) for one in self._ranks]
            step = self._job.step
            recording = recorded(step, ranks, self._recorded)
            settings |= await self._stack.enter_async_context(recording)
            started = launch(self._testbed, self._ranks, step, settings, patience_s)
            self._running = await self._stack.enter_async_context(started)
        return self._running

    @property
    def _calls(self) -> str:
        """How programs call MPI: nonblocking by default, as programs that keep the network busy do. MPI's own
        collectives are blocking by default, which is their common use."""
        usual = (
            "blocking" if self._library_calls.phases.issuperset(self._job.phases) else "nonblocking"
        )
        return self._job.step.options.calls or usual

    def _take(self, words: list[str]) -> None:
        match words:
            case ["library", *version]:
                self._library = " ".join(version)
            case ["clock", rank, offset_ns, error_ns]:
                self._joined(self._ranks[int(rank)], int(offset_ns), int(error_ns))
            case ["row", *numbers] if len(numbers) == len(_ROW):
                self._rows.append(self._row([int(number) for number in numbers]))
            case ["spent", _, rank, *times]:
                self._spent[self._ranks[int(rank)]].append(Activity(*map(int, times)))
            case ["lap", _, rank, *times]:
                self._laps[self._ranks[int(rank)]].append(Lap(*map(int, times)))
            case ["over", phase, *barriers_ns]:
                self._over(int(phase), [int(one) for one in barriers_ns])

    def _joined(self, node: int, offset_ns: int, error_ns: int) -> None:
        cpus = self._job.step.options.cpus
        settings = {"mpi": self._library, "calls": self._calls, "cpu": cpus[node] if cpus else None}
        self._logbook.joined(node, JoinReply(offset_ns, error_ns, settings))

    def _row(self, numbers: list[int]) -> dict[str, int]:
        row = dict(zip(_ROW, numbers, strict=True))
        ends = {"src": self._ranks[row["src"]], "dst": self._ranks[row["dst"]]}
        return row | ends | {"step": self._job.step_index, "launch": self._job.launch}

    def _over(self, phase: int, barriers_ns: list[int]) -> None:
        if phase in self._library_calls.phases:
            of_phase = spent(phase, self._rows, self._ranks)
        else:
            of_phase = {
                node: Activities(phase, tuple(all_of_it), tuple(self._laps[node]))
                for node, all_of_it in self._spent.items()
            }
        for node, activities in of_phase.items():
            self._ledger.spent(node, activities)
        self._spent.clear()
        self._laps.clear()
        if self._rows:
            self._ledger.samples(pa.RecordBatch.from_pylist(self._rows, schema=SCHEMA))
            self._rows = []
        for node, barrier_ns in zip(self._ranks, barriers_ns, strict=True):
            self._ledger.over(node, PhaseOver(phase, barrier_ns / 1e3), self._ranks)

    async def _recover(self, error: AgentError) -> None:
        """Continue without the nodes whose agents have ended too; raises the error if there are none."""
        await self._end_job()
        complaints = self._running.complaints if self._running else []
        self._running, self._rows = None, []
        self._spent.clear()
        self._laps.clear()
        if wrong := wrong_result(complaints):
            raise wrong
        phase = self._ledger.current()
        gone = await self._crew.gone(self._ranks)
        if not gone:
            raise error
        for node, reason in gone.items():
            await self._crew.drop(node, reason)
        self._logbook.nodes_lost({node: reason.reason for node, reason in gone.items()}, phase)
        self._ledger.give_up()


def _tried_once(tables: list[pa.Table]) -> list[Evidence]:
    """A node's evidence without phases that it measured more than once: which try was kept is not known here."""
    table = pa.concat_tables(tables, promote_options="permissive").unify_dictionaries()
    times = table.filter(pc.equal(table["counter"].cast(pa.string()), "elapsed_ns"))
    count = times.group_by("phase").aggregate([("phase", "count")])
    once = count.filter(pc.equal(count["phase_count"], 1))["phase"]
    kept = table.filter(pc.is_in(table["phase"], once)).combine_chunks()
    return [Evidence(rows) for rows in kept.to_batches() if rows.num_rows]


def _in_order_of_ranks(testbed: Testbed, nodes: Sequence[int]) -> list[int]:
    """The nodes in the order of ranks: mpirun fills one machine after the other, so nodes of one machine are
    adjacent."""
    machine = {node: testbed.machine(testbed.nodes[node]) for node in nodes}
    order = list(dict.fromkeys(machine.values()))
    return sorted(nodes, key=lambda node: (order.index(machine[node]), node))
