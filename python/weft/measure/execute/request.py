"""Carrying out a request: plan and testbed in, run folder out."""

from __future__ import annotations

import datetime
import os
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, count
from pathlib import Path
from typing import Protocol

from msgspec.structs import replace

from weft import __version__
from weft.base.errors import RequestError
from weft.measure.execute.against import settle_against
from weft.measure.execute.busy import announce_busy
from weft.measure.execute.dry_run import Outlook, foresee
from weft.measure.execute.gate import refuse_other_owner, refuse_unapproved, side_effects_of_run
from weft.measure.execute.kinds.every import kind_of
from weft.measure.execute.live import LiveRun
from weft.measure.execute.options.overrides import overrides_of, split_cpus
from weft.measure.execute.options.run_options import USUAL_OPTIONS, RunOptions
from weft.measure.execute.progress import Reporter
from weft.measure.execute.settle.settle import settle, settle_unasked
from weft.measure.execute.simulation import SimulatedRun
from weft.measure.testbed.base import Testbed
from weft.measure.testbed.computed.base import Simulator, is_computed
from weft.measure.testbed.open import look_at_testbed, open_testbed
from weft.measure.testbed.vm.planned import foresee_guests
from weft.plan.load import PlanSource, load_plan
from weft.plan.plan import Plan
from weft.runs.columns.table_stream import damaged_tables
from weft.runs.digests import lacks_tables
from weft.runs.folder import RunFolder, RunWriter, lock_folder, refuse_existing
from weft.runs.memory import MemoryWriter
from weft.runs.meta import FILE_NAME, RunMeta, Warning
from weft.runs.predicted import PREDICTION_NAME, RunPrediction
from weft.runs.records import records
from weft.runs.work_document import fresh_folder
from weft.understand.curve.earlier import recorded_run


@dataclass(frozen=True)
class RunRequest:
    """What a user asks for; `command` is recorded in run.json."""

    plan: PlanSource
    testbed: str
    options: RunOptions = USUAL_OPTIONS
    command: Sequence[str] = ()
    apply_anyway: bool = False
    """Whether knobs may change the interface that carries the ssh connection."""
    notes: Sequence[Warning] = ()
    """Further warnings for run.json."""

    @cached_property
    def overrides(self) -> list[tuple[str, str]]:
        """The plan's keys that the options change; raises RequestError."""
        return overrides_of(self.plan, self.options)

    @property
    def cpus(self) -> list[int] | None:
        """The processor of each node's agent; raises RequestError."""
        cpus = self.options.cpus
        return split_cpus(cpus) if isinstance(cpus, str) else None if cpus is None else list(cpus)

    @property
    def place(self) -> tuple[str, float | None, int | None, str | None]:
        """The arguments for opening a testbed."""
        return self.testbed, self.options.scale, self.options.nodes, self.options.ports

    def load(self) -> Plan:
        """The plan with the changes of the options; raises RequestError."""
        if not self.options.patience_s > 0:
            raise RequestError(
                f"--patience {self.options.patience_s:g}: must be more than 0",
                "10 s are enough for most networks",
            )
        return load_plan(self.plan, self.overrides)


BEFOREHAND = ("linpack-time", "option-left-out")
"""Codes of warnings that are of no use after the run."""


class Forecaster(Protocol):
    """Predicts the results of a settled plan on a testbed before the run; raises RequestError if nothing is known."""

    def __call__(self, plan: Plan, testbed: Testbed) -> RunPrediction: ...


def start_run(
    request: RunRequest,
    reporter: Reporter | None = None,
    predictor: Forecaster | None = None,
    afterwards: Callable[[Testbed, RunFolder], object] | None = None,
) -> RunFolder:
    """Carry out a plan. An invalid request raises RequestError before anything is started.

    The prediction of `predictor` is kept in the run's folder. `afterwards` is called before the testbed is closed.
    """
    plan = _load_plan(request)
    against = settle_against(request.options.against, plan, request.testbed)
    out = Path(request.options.out) if request.options.out else default_folder(plan.name)
    with open_testbed(*request.place) as testbed:
        plan, notes = settle(plan, testbed, request.cpus)
        notes = [*request.notes, *notes]
        plan = _with_files(plan, testbed, None if testbed.is_computed else out)
        refuse_existing(out)
        predicted = predictor(plan, testbed) if predictor else None
        meta = _new_meta(request, plan, testbed, notes)
        meta.against = against
        for note in notes:
            if reporter and note.code in BEFOREHAND:
                reporter.announce(note.message)
        if reporter:
            announce_busy(testbed, reporter)
        with fresh_folder(out):
            writer = RunWriter.create(out, meta)
            if predicted:
                writer.write_document(PREDICTION_NAME, predicted)
            run = _carry_out(
                testbed, writer, reporter, request.options.patience_s, request.apply_anyway
            )
        if afterwards:
            afterwards(testbed, run)
        return run


def _load_plan(request: RunRequest) -> Plan:
    """The requested plan; raises RequestError if this kind of testbed cannot carry it out."""
    plan = request.load()
    kind, _, name = request.testbed.partition(":")
    for step in plan.steps:
        kind_of(step).refuse_testbed(kind, name)
    return plan


def _with_files(plan: Plan, testbed: Testbed, out: Path | None) -> Plan:
    """The plan with the sizes of files that are cast; raises RequestError."""
    return replace(plan, steps=tuple(kind_of(one).with_files(testbed, out) for one in plan.steps))


def simulate_run(request: RunRequest, reporter: Reporter | None = None) -> RunFolder:
    """Simulate a plan and keep the run in memory; raises RequestError if the testbed is not a simulator, or a step has
    too many transfers to keep."""
    with open_testbed(request.testbed, request.options.scale) as testbed:
        if not is_computed(testbed):
            raise RequestError(f"{request.testbed}: is measured, not simulated", "run it")
        return compute_run(testbed, request, reporter)


def compute_run(
    testbed: Simulator, request: RunRequest, reporter: Reporter | None = None
) -> RunFolder:
    """Simulate a plan in memory on a testbed that is already open; raises RequestError as `simulate_run` does."""
    plan = _with_files(request.load(), testbed, None)
    return compute_plan(testbed, plan, request, reporter)


def compute_plan(
    testbed: Simulator, plan: Plan, request: RunRequest, reporter: Reporter | None = None
) -> RunFolder:
    """Simulate a loaded plan, in which the sizes of files are known, in memory; raises RequestError as `simulate_run`
    does."""
    plan, notes = settle(plan, testbed, None)
    for step in plan.steps:
        if testbed.rows_of_phase(step) is not None:
            raise RequestError(
                f"{plan.name}: step {step.name!r} has {testbed.transfers(step):,} transfers, too many to hold",
                "run it into a folder, or have more with `rows=N` in the brackets",
            )
    name = f"{plan.name} on {testbed.name}"
    writer = MemoryWriter(name, _new_meta(request, plan, testbed, notes))
    return _carry_out(testbed, writer, reporter, request.options.patience_s)


def predict_run(request: RunRequest, predictor: Forecaster) -> RunPrediction:
    """The prediction for a run; starts nothing and does not ask Slurm for nodes. Raises RequestError."""
    plan = _load_plan(request)
    with look_at_testbed(*request.place) as testbed:
        plan = _with_files(plan, testbed, None)
        plan = replace(plan, steps=tuple(kind_of(one).with_scale(testbed) for one in plan.steps))
        return predictor(plan, testbed)


def foresee_run(request: RunRequest) -> Outlook:
    """What a run would use; starts nothing and does not ask Slurm for nodes. Raises RequestError."""
    plan = _load_plan(request)
    settle_against(request.options.against, plan, request.testbed)
    out = Path(request.options.out) if request.options.out else None
    if out:
        refuse_existing(out)
    with look_at_testbed(*request.place) as testbed:
        settle_unasked(plan, testbed, request.cpus)
        plan = _with_files(plan, testbed, None)
        outlook = foresee(plan, request.testbed, testbed)
    kind, _, name = request.testbed.partition(":")
    if kind == "vm":
        scale = request.options.scale
        outlook.guests = foresee_guests(name, 1.0 if scale is None else scale)
    return outlook


def resume_run(
    directory: str,
    reporter: Reporter | None = None,
    patience_s: float = 10.0,
    approved: Collection[str] = (),
) -> RunFolder:
    """Measure what a run lacks; a complete run is returned unchanged. Only commands and settings that the user has
    `approved` are carried out; raises RequestError for others, and for a folder of another user."""
    RunMeta.read(Path(directory))
    refuse_other_owner(Path(directory), Path(directory) / FILE_NAME)
    with lock_folder(Path(directory)) as lock:
        run = RunFolder.open(directory)
        damaged = damaged_tables(run.directory)
        if run.meta.status == "complete" and not damaged:
            return run
        if "spec" not in run.meta.testbed:
            raise RequestError(f"{directory}: an imported run cannot be resumed")
        refuse_unapproved(Path(directory), side_effects_of_run(Path(directory)), approved)
        if run.meta.against:
            recorded_run(run.meta.against, run.meta.plan)
        known = run.meta.testbed
        scale, nodes, ports = known.get("scale", 1.0), known.get("nodes"), known.get("data_ports")
        measured = [node["name"] for node in run.meta.nodes]
        with open_testbed(known["spec"], scale, nodes, ports, wanted=measured) as testbed:
            _check_same_nodes(run, testbed)
            is_short = bool(run.is_damaged or damaged) or lacks_tables(run)
            afresh = testbed.is_computed and is_short
            writer = RunWriter.resume(run, lock, afresh)
            return _carry_out(testbed, writer, reporter, patience_s)


def _carry_out(
    testbed: Testbed,
    writer: RunWriter,
    reporter: Reporter | None,
    patience_s: float,
    anyway: bool = False,
) -> RunFolder:
    """Run with agents, or simulate."""
    progress = reporter or Reporter()
    if is_computed(testbed):
        return SimulatedRun(testbed, writer, progress).run()
    return LiveRun(testbed, writer, progress, patience_s, anyway).run()


def default_folder(plan_name: str) -> Path:
    """runs/PLAN-TIME, with a number appended if it exists."""
    stem = f"{plan_name}-{datetime.datetime.now():%Y%m%d-%H%M%S}"
    names = chain([stem], (f"{stem}-{number}" for number in count(2)))
    return next(path for name in names if not (path := Path("runs") / name).exists())


def _new_meta(request: RunRequest, plan: Plan, testbed: Testbed, notes: list[Warning]) -> RunMeta:
    meta = RunMeta(
        plan=plan,
        testbed=testbed.describe() | _asked(request),
        nodes=[{"name": node.name, "address": node.address} for node in testbed.nodes],
        started=datetime.datetime.now(datetime.UTC).isoformat(timespec="milliseconds"),
        command=[os.fsencode(word).decode(errors="replace") for word in request.command],
        weft_version=__version__,
    )
    for warning in [*notes, *testbed.warnings]:
        meta.warn(warning.code, warning.message, warning.hint)
    return meta


def _asked(request: RunRequest) -> records.TestbedRecord:
    """What is needed to open the same testbed when the run is resumed."""
    asked: records.TestbedRecord = {"spec": request.testbed}
    if (nodes := request.options.nodes) is not None:
        asked["nodes"] = nodes
    if (ports := request.options.ports) is not None:
        asked["data_ports"] = ports
    return asked


def _check_same_nodes(run: RunFolder, testbed: Testbed) -> None:
    then = [node["name"] for node in run.meta.nodes]
    now = [node.name for node in testbed.nodes]
    if then != now:
        raise RequestError(
            f"{run.directory}: was measured on {', '.join(then)}; "
            f"{run.meta.testbed['spec']} now has {', '.join(now)}"
        )
