"""Runs a plan on a simulator, with the same steps, phases and files as with agents."""

from __future__ import annotations

import hashlib

import pyarrow as pa
import pyarrow.compute as pc

from weft.base.errors import RequestError
from weft.measure.execute.adaptive import Chooser, chosen_phases, elapsed_s, record_choice
from weft.measure.execute.kinds.every import kind_of
from weft.measure.execute.logbook import Logbook
from weft.measure.execute.progress import Reporter, StepProgress
from weft.measure.testbed.computed.base import Simulator
from weft.measure.testbed.computed.outcome import SimulatedPhases
from weft.plan.phases import expand
from weft.plan.plan import Step
from weft.plan.roles import participants
from weft.runs.digests import DigestWriter, sampled_steps
from weft.runs.folder import RunFolder, RunWriter
from weft.runs.meta import Status
from weft.runs.missing import measured_phases

MOST_LOADS = 5_000_000
"""With more pairs of phase and constraint than this, a step's loads are not kept."""


SAMPLE_BYTES = 60
"""Size of a sample in memory; compressed on disk it is smaller."""


class SimulatedRun:
    """Carries out what a run lacks on a simulator, writing as it goes."""

    def __init__(self, testbed: Simulator, writer: RunWriter, progress: Reporter) -> None:
        self._testbed = testbed
        self._writer = writer
        self._meta = writer.meta
        self._progress = progress
        self._clock_ns = _end_ns(writer.samples)
        self._constraints = testbed.model.constraints()
        self._digests = DigestWriter(writer.directory, writer.samples)
        self._tables: dict[str, list[pa.Table]] = {}
        self._from = (0, 0)
        self._without_route: dict[tuple[int, int], None] = {}
        done = writer.meta.testbed.get("simulation", {})
        self._fingerprint = str(done.get("fingerprint", ""))
        self._events = int(done.get("events", 0))
        self._idle_s = float(done.get("idle_s", 0.0))

    def run(self) -> RunFolder:
        """Simulate everything that is missing; an interrupt keeps what was computed."""
        self._progress.start(self._left())
        try:
            for launch in range(self._meta.plan.launches):
                for index in range(len(self._meta.plan.steps)):
                    if [index, launch] not in self._meta.done:
                        self._run_step(index, launch)
        except KeyboardInterrupt:
            self._meta.warn(
                "interrupted",
                "the run was interrupted",
                f"continue it with `weft run --resume {self._writer.directory}`",
            )
            self._write_tables()
        self._digests.finish()
        self._note_routes()
        self._note_effort()
        return self._writer.finish(self._status())

    def _note_routes(self) -> None:
        """Warn of nodes without a route between them; raises RequestError if the run has no samples."""
        if not self._without_route:
            return
        src, dst = (self._testbed.nodes[node].name for node in next(iter(self._without_route)))
        others = len(self._without_route) - 1
        more = f", and between {others} more pair{'s' * (others > 1)}" if others else ""
        what = f"no route from {src} to {dst}{more}"
        if not self._writer.samples.num_rows:
            raise RequestError(
                f"{self._testbed.name}: {what}", "give nodes that the network connects"
            )
        self._meta.warn("no-route", what, "phases with such pairs have no samples")

    def _left(self) -> int:
        plan = self._meta.plan
        return plan.launches * sum(map(self._testbed.phase_count, plan.steps))

    def _run_step(self, index: int, launch: int) -> None:
        step = self._meta.plan.steps[index]
        have = measured_phases(self._writer.samples, index, launch)
        count = self._testbed.phase_count(step)
        first = max(have) + 1 if have else 0
        self._from = (index, first)
        progress = StepProgress(self._progress, step.name, count - first)
        logbook = Logbook(self._writer, index, launch, progress.over)
        self._note_missing(step, logbook)
        if settings := self._testbed.settings(step):
            for node in self._testbed.nodes:
                logbook.settings(node.name, settings)
        kind = kind_of(step)
        if chooser := kind.chooser(self._writer, index):
            self._run_adaptive(chooser, logbook, progress)
        else:
            self._run_phases(step, range(first, count), logbook)
        if step.pin_ns:
            self._meta.warn(
                "not-pinned",
                f"{step.name}: nothing is bisected on a simulator: a jump is between two sizes of the plan",
                f"more of them cost only time: --set steps.{step.name}.sizes.per_octave=64",
            )
        # Write before the step counts as done: a run that is killed later has the tables, or repeats the step.
        self._write_tables()
        self._note_effort()
        kind.finish(logbook)

    def _run_phases(self, step: Step, phases: range, logbook: Logbook) -> None:
        """Simulate the phases that are left, as many at a time as fit into memory."""
        chunk = self._testbed.chunk(step)
        rows = self._testbed.rows_of_phase(step)
        if rows is not None:
            self._note_sampled(step, rows, logbook)
        with_loads = rows is None and self._keeps_loads(step, phases.stop)
        for first in phases[::chunk]:
            last = min(first + chunk, phases.stop)
            outcome = kind_of(step).simulate(self._testbed, first, last, with_loads)
            self._take(outcome, logbook)
            if rows is not None:
                digests = outcome.digests(logbook.step, self._testbed.constraint_names)
                self._digests.append(digests)
                self._writer.sync()

    def _note_sampled(self, step: Step, rows: int, logbook: Logbook) -> None:
        """Record before a step, and warn, that only a part of its samples is kept, with the size in MB."""
        if logbook.step in sampled_steps(self._meta):
            return
        transfers, phases = self._testbed.transfers(step), self._testbed.phase_count(step)
        kept = rows * phases
        self._meta.sampled.append(
            {"step": logbook.step, "transfers": transfers, "phases": phases, "rows": kept}
        )
        self._meta.warn(
            "sampled",
            f"{logbook.step_name}: of {transfers:,} transfers about {kept:,} samples are kept "
            f"({kept * SAMPLE_BYTES / 1e6:,.0f} MB), {rows} of each phase, chosen by a hash of phase and ends; "
            "phases, quantiles and bottlenecks count all transfers",
            "single routes are those kept, and loads are not; `rows=N` in the brackets keeps more",
        )

    def _run_adaptive(self, chooser: Chooser, logbook: Logbook, progress: StepProgress) -> None:
        step = chooser.settle(self._writer.samples)
        self._meta.plan = self._meta.plan.with_step(logbook.step, step)
        have = measured_phases(self._writer.samples, logbook.step, logbook.launch)
        left = [one for one in chosen_phases(logbook) if one.index not in have]
        while True:
            if left:
                with_loads = self._keeps_loads(step, left[-1].index + 1)
                self._take(self._testbed.simulate_chosen(step, left, with_loads), logbook)
            samples = self._writer.samples
            passed_s = elapsed_s(samples, logbook.step, logbook.launch)
            specs = chooser.next_phases(samples, self._testbed.dead, passed_s)
            if not specs:
                break
            progress.grow(len(specs))
            left = [record_choice(logbook, spec) for spec in specs]
        if chooser.summary:
            hint = "give the step more `time`"
            self._meta.warn("time-was-up", f"{logbook.step_name}: {chooser.summary}", hint)

    def _take(self, outcome: SimulatedPhases, logbook: Logbook) -> None:
        """Write the results of some phases to the run."""
        rows = outcome.samples(logbook.step, logbook.launch, self._clock_ns)
        logbook.phases_measured([one.index for one in outcome.phases], [rows])
        logbook.counted(outcome.deliveries())
        for name, table in self._testbed.tables(outcome, logbook.step, self._clock_ns).items():
            self._tables.setdefault(name, []).append(table)
        step, failures = self._meta.plan.steps[logbook.step], dict(outcome.failures)
        for phase in outcome.phases:
            if step.is_ensemble:
                logbook.barrier(phase.index, [phase.barrier_ns / 1e3])
            if phase.failed:
                words = [" to ".join(map(logbook.name, ends)) for ends in phase.failed[:4]]
                nodes = {node for ends in phase.failed for node in ends}
                why = failures.get(phase.index, f"no route from {', '.join(words)}")
                logbook.phase_incomplete(phase.index, nodes, why)
                if phase.index not in failures:
                    self._without_route |= dict.fromkeys(phase.failed)
            self._fingerprint = _join(self._fingerprint, phase.fingerprint)
        for why in failures.values():
            hint = "the rest of the step, larger sizes or loads, was not tried"
            self._meta.warn("no-messages", f"{logbook.step_name}: {why}", hint)
        self._note_kept(outcome, logbook)
        self._clock_ns += outcome.span_ns
        self._events += outcome.events
        self._idle_s = max(self._idle_s, outcome.idle_s)

    def _note_kept(self, outcome: SimulatedPhases, logbook: Logbook) -> None:
        """Warn if the samples do not contain all messages of programs."""
        if outcome.messages is not None and len(outcome) < outcome.messages:
            self._meta.warn(
                "messages-sampled",
                f"{logbook.step_name}: of {outcome.messages:,} messages {len(outcome):,} are kept as samples; "
                "the times of phases and nodes count all",
                "`rows=N` in the brackets keeps more",
            )

    def _note_missing(self, step: Step, logbook: Logbook) -> None:
        """Record dead nodes and failed ones; the others continue without them."""
        dead = self._testbed.dead
        if not dead or not step.is_ensemble:
            return
        for node in sorted(dead):
            logbook.node_missing(node, "its link is dead")
        for phase in expand(step, len(self._testbed.nodes)):
            if gone := participants(phase) & dead:
                names = ", ".join(logbook.names(gone))
                logbook.phase_incomplete(phase.index, gone, f"without {names}")

    def _keeps_loads(self, step: Step, phases: int) -> bool:
        loads = phases * len(self._constraints)
        if loads > MOST_LOADS:
            self._meta.warn(
                "no-loads",
                f"{step.name}: what each link carried is not kept of all phases, "
                f"it would be more than {MOST_LOADS:,} numbers",
                "take fewer nodes or sizes",
            )
        return loads <= MOST_LOADS

    def _write_tables(self) -> None:
        """Write the tables beside the samples: what limited each transfer, and what was busy with what."""
        for name, tables in self._tables.items():
            before = _before(self._writer.stored_table(name), *self._from)
            table = pa.concat_tables([before, *tables]).unify_dictionaries()
            self._writer.write_table(name, table)
        self._tables.clear()

    def _note_effort(self) -> None:
        self._meta.testbed["simulation"] = {
            "fingerprint": self._fingerprint,
            "events": self._events,
            "idle_s": self._idle_s,
        }
        if self._idle_s > 1e-9 and self._meta.testbed["model"]["tolerance"]:
            self._meta.warn(
                "tolerance",
                "transfers that ended at nearly the same time were taken together: in the worst phase "
                f"freed capacity lay idle for {self._idle_s * 1e3:.3g} ms in all",
                "ends are off by about that much at most; leave `tolerance` out to be exact",
            )

    def _status(self) -> Status:
        wanted = self._meta.plan.launches * len(self._meta.plan.steps)
        if len(self._meta.done) == wanted and not self._meta.lost and not self._meta.incomplete:
            return "complete"
        return "partial" if self._writer.samples.num_rows else "failed"


def _before(table: pa.Table, step: int, phase: int) -> pa.Table:
    """A table without what a killed run wrote of a step whose samples were lost."""
    again = pc.and_(pc.equal(table["step"], step), pc.greater_equal(table["phase"], phase))
    return table.filter(pc.invert(again))


def _end_ns(samples: pa.Table) -> int:
    """When the last row ended."""
    if not samples.num_rows:
        return 0
    end_ns: int = pc.max(pc.add(samples["start_ns"], samples["elapsed_ns"])).as_py()
    return end_ns


def _join(fingerprint: str, phase: int) -> str:
    """The fingerprint of all phases so far, independent of how they were divided into calls."""
    return hashlib.blake2b(
        bytes.fromhex(fingerprint) + phase.to_bytes(8, "little"), digest_size=8
    ).hexdigest()
