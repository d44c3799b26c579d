"""Carrying out a request: plan and testbed in, run folder out."""

from __future__ import annotations

import datetime
import os
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from itertools import chain, count
from pathlib import Path

from msgspec.structs import replace

from weft import __version__
from weft.diagnosis.earlier import recorded_run
from weft.errors import RequestError
from weft.execute.adaptive import Chooser
from weft.execute.against import settle_against
from weft.execute.applications.web_server import check_servers, with_loops
from weft.execute.dry_run import Outlook, foresee
from weft.execute.file_cast.settle import settle_file_casts
from weft.execute.host_settings.places import check_knobs
from weft.execute.linpack.settle import settle_linpack
from weft.execute.live import LiveRun
from weft.execute.progress import Reporter
from weft.execute.resolve import check_usable, settle_pairs, too_few_processors
from weft.execute.simulation import SimulatedRun
from weft.execute.traffic import settle_traffic
from weft.execute.transport_check import check_transports
from weft.plan.load import PlanSource, load_plan
from weft.plan.pattern import Collective, Halo, Hpl, MultiPair, Program, Traffic, Xray
from weft.plan.plan import Options, Plan, Step
from weft.plan.trace_file import with_digest
from weft.runs import records
from weft.runs.digests import lacks_tables
from weft.runs.folder import Run, RunWriter, lock_folder
from weft.runs.memory import MemoryWriter
from weft.runs.meta import FILE_NAME, RunMeta, Warning
from weft.runs.table_stream import damaged_tables
from weft.testbed.base import Testbed
from weft.testbed.computed.base import Simulator, is_computed
from weft.testbed.needs import check_load, nodes_of, refuse_program
from weft.testbed.open import open_testbed
from weft.testbed.programs import check_members, check_parts, check_replay


@dataclass(frozen=True)
class RunRequest:
    """What a user asks for; `overrides` are (key, TOML value) pairs applied to the plan, `command` is for run.json."""

    plan: PlanSource
    testbed: str
    out: str | None = None
    scale: float = 1.0
    overrides: list[tuple[str, str]] = field(default_factory=list)
    cpus: list[int] | None = None
    patience_s: float = 10.0
    nodes: int | None = None
    ports: str | None = None
    against: str | None = None
    command: Sequence[str] = ()
    apply_anyway: bool = False
    """Whether knobs may change the interface that ssh came in on."""


def start_run(request: RunRequest, reporter: Reporter | None = None) -> Run:
    """Carry out a plan; raises RequestError before anything is started when the request is wrong."""
    plan = load_plan(request.plan, request.overrides)
    _check_loads(plan, request.testbed)
    against = settle_against(request.against, plan, request.testbed)
    out = Path(request.out) if request.out else default_folder(plan.name)
    with open_testbed(request.testbed, request.scale, request.nodes, request.ports) as testbed:
        plan, notes = _settle(plan, testbed, request.cpus)
        plan = settle_file_casts(plan, testbed, None if testbed.is_computed else out)
        meta = _new_meta(request, plan, testbed, notes)
        meta.against = against
        writer = RunWriter.create(out, meta)
        return _carry_out(testbed, writer, reporter, request.patience_s, request.apply_anyway)


def _check_loads(plan: Plan, spec: str) -> None:
    """What agents cannot measure of an application is refused before anything is started."""
    kind, _, name = spec.partition(":")
    for step in plan.steps:
        if step.has_gamma and kind not in ("sim", "node"):
            check_load(step, kind, name)
        is_refused = kind == "node" or (kind == "local" and not _runs_here(step))
        if step.is_program and is_refused:
            refuse_program(step, kind, name)


def _runs_here(step: Step) -> bool:
    """Whether processes of one machine carry out a step that is a program."""
    return step.is_real_program or isinstance(step.pattern, (Program, Halo, Collective, Hpl))


def simulate_run(request: RunRequest, reporter: Reporter | None = None) -> Run:
    """Compute a plan and hold the run in memory; raises RequestError where the testbed measures, and where a step has
    more transfers than are held."""
    with open_testbed(request.testbed, request.scale) as testbed:
        if not is_computed(testbed):
            raise RequestError(f"{request.testbed}: is measured, not simulated", "run it")
        return compute_run(testbed, request, reporter)


def compute_run(testbed: Simulator, request: RunRequest, reporter: Reporter | None = None) -> Run:
    """Compute a plan on a testbed that is open already, in memory; raises RequestError as `simulate_run`."""
    plan = settle_file_casts(load_plan(request.plan, request.overrides), testbed, None)
    plan, notes = _settle(plan, testbed, None)
    for step in plan.steps:
        if testbed.rows_of_phase(step) is not None:
            raise RequestError(
                f"{plan.name}: step {step.name!r} has {testbed.transfers(step):,} transfers, too many to hold",
                "run it into a folder, or have more with `rows=N` in the brackets",
            )
    name = f"{plan.name} on {testbed.name}"
    writer = MemoryWriter(name, _new_meta(request, plan, testbed, notes))
    return _carry_out(testbed, writer, reporter, request.patience_s)


def foresee_run(request: RunRequest) -> Outlook:
    """What a run would use; nothing is started, and Slurm not asked for nodes. Raises RequestError."""
    plan = load_plan(request.plan, request.overrides)
    _check_loads(plan, request.testbed)
    settle_against(request.against, plan, request.testbed)
    wanted = (request.scale, request.nodes, request.ports)
    with open_testbed(request.testbed, *wanted, may_ask=False) as testbed:
        return foresee(plan, request.testbed, testbed)


def commands_of_run(directory: str) -> list[str]:
    """The commands that resuming a run executes because its run.json names them; raises RequestError."""
    from weft.testbed.hosts.spec import named_commands

    return named_commands(RunMeta.read(Path(directory)).testbed.get("spec", ""))


def resume_run(
    directory: str,
    reporter: Reporter | None = None,
    patience_s: float = 10.0,
    approved: Collection[str] = (),
) -> Run:
    """Measure what a run lacks; a complete run is returned as it is. Of the commands that the run names only those are
    executed that the user has `approved`; raises RequestError for others, and for a folder of another user."""
    _refuse_other_owner(Path(directory))
    with lock_folder(Path(directory)) as lock:
        run = Run.open(directory)
        damaged = damaged_tables(run.directory)
        if run.meta.status == "complete" and not damaged:
            return run
        if "spec" not in run.meta.testbed:
            raise RequestError(f"{directory}: an imported run cannot be resumed")
        _refuse_unapproved(directory, approved)
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


def _refuse_other_owner(directory: Path) -> None:
    """What run.json names is executed, so it must be the user's own."""
    RunMeta.read(directory)
    for path in (directory, directory / FILE_NAME):
        if path.stat().st_uid != os.geteuid():
            raise RequestError(
                f"{path}: belongs to another user (uid {path.stat().st_uid})",
                "a run names the commands that resuming it executes: resume only your own, or measure again",
            )


def _refuse_unapproved(directory: str, approved: Collection[str]) -> None:
    unknown = [one for one in commands_of_run(directory) if one not in approved]
    if unknown:
        raise RequestError(
            f"{directory}: resuming it runs a command that its run.json names: {unknown[0]}",
            "if it is what you would run, add --yes",
        )


def _carry_out(
    testbed: Testbed,
    writer: RunWriter,
    reporter: Reporter | None,
    patience_s: float,
    anyway: bool = False,
) -> Run:
    """With agents, or by computing what they would find."""
    progress = reporter or Reporter()
    if is_computed(testbed):
        return SimulatedRun(testbed, writer, progress, _chooser).run()
    return LiveRun(testbed, writer, progress, patience_s, _chooser, anyway).run()


def _chooser(meta: RunMeta, step_index: int) -> Chooser:
    """What chooses the phases of an adaptive step."""
    from weft.diagnosis.paths.search import PathSearch
    from weft.diagnosis.xray.quick.search import HealthCheck
    from weft.diagnosis.xray.search import Search

    pattern = meta.plan.steps[step_index].pattern
    if isinstance(pattern, Xray) and pattern.quick:
        return HealthCheck(meta, step_index)
    return PathSearch(meta, step_index) if pattern.kind == "paths" else Search(meta, step_index)


def default_folder(plan_name: str) -> Path:
    """runs/PLAN-TIME, and a number behind it when that exists."""
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


def _asked(request: RunRequest) -> records.Testbed:
    """What resuming a run needs to open the same testbed."""
    asked: records.Testbed = {"spec": request.testbed}
    if request.nodes is not None:
        asked["nodes"] = request.nodes
    if request.ports is not None:
        asked["data_ports"] = request.ports
    return asked


def _settle(plan: Plan, testbed: Testbed, cpus: list[int] | None) -> tuple[Plan, list[Warning]]:
    """Decide what the plan leaves open: on which processors, and how the ends wait; and what to say of it.

    Spinning spares a wake-up but takes a processor away, so it is chosen only where the testbed has one to
    spare for each end. What is computed comes out the same in every launch, so that one is enough.
    """
    notes: list[Warning] = []
    if plan.race and is_computed(testbed):
        raise RequestError(
            f"{plan.name}: a race repeats what varies, and {testbed.name} computes the same each time",
            "run it on machines or a lab; without `race` the steps can be computed once",
        )
    check_knobs(plan, len(testbed.nodes), testbed.is_computed)
    if not is_computed(testbed):
        plan = with_loops(plan)
    for index, step in enumerate(plan.steps):
        if isinstance(step.pattern, Program):
            step = replace(step, pattern=with_digest(step.pattern))
        if isinstance(step.pattern, Traffic):
            scale = float(testbed.describe().get("scale", 1.0))
            step = settle_traffic(step, step.pattern, len(testbed.nodes), scale)
        if is_computed(testbed):
            testbed.check(step)
        else:
            _check_enough_nodes(step, testbed)
            step = _settled_program(step, testbed)
        if isinstance(step.pattern, Hpl):
            settled, said = settle_linpack(step, step.pattern, testbed)
            if not (is_computed(testbed) or step.is_real_program):
                settled = replace(settled, options=_settled_options(settled, testbed, cpus))
            notes += said
        elif isinstance(step.pattern, MultiPair):
            settled, said = settle_pairs(step, step.pattern, testbed, cpus)
            notes += said
        elif is_computed(testbed):
            settled = step
        else:
            settled = replace(step, options=_settled_options(step, testbed, cpus))
        plan = plan.with_step(index, settled)
    if is_computed(testbed):
        return replace(plan, launches=1), notes
    plan = check_servers(check_transports(plan, testbed), testbed)
    return plan, [*notes, *too_few_processors(plan, testbed)]


def _settled_options(step: Step, testbed: Testbed, cpus: list[int] | None) -> Options:
    options = step.options
    wanted = cpus or options.cpus or testbed.cpus
    chosen = None if options.cpus == () else _checked_cpus(wanted, testbed)
    wait = options.wait
    if step.has_gamma:
        _check_apart(step, chosen, testbed)
    if step.is_ensemble or step.is_program or step.has_gamma:
        wait = "block"
    elif wait == "auto" and step.transport != "mpi":
        apart = chosen is not None and len(set(chosen[:2])) == 2
        wait = "spin" if apart and testbed.may_spin else "block"
    return replace(options, cpus=chosen, wait=wait)


def _settled_program(step: Step, testbed: Testbed) -> Step:
    """With the nodes of a trace's ranks, and how they compute; raises RequestError for a program that cannot be carried
    out."""
    name = f"{testbed.kind}:{testbed.name}"
    pattern = step.pattern
    if isinstance(pattern, Program):
        program = check_replay(pattern, name, testbed.nodes)
        check_parts(pattern, program)
        pattern = replace(pattern, nodes=pattern.nodes or tuple(range(program.ranks)))
    elif step.is_program:
        check_members(step, testbed.nodes)
    if isinstance(pattern, (Program, Halo)) and not pattern.compute:
        pattern = replace(pattern, compute="spin" if testbed.may_spin else "sleep")
    return replace(step, pattern=pattern)


def _check_apart(step: Step, cpus: Sequence[int] | None, testbed: Testbed) -> None:
    """The work of a receiver is told from the sender's by their processors."""
    if cpus is None or testbed.kind != "local" or cpus[0] != cpus[1]:
        return
    raise RequestError(
        f"step {step.name!r}: both ends of the stream are on processor {cpus[0]}; the sender would take the receiver's "
        "time",
        "give each its own (--cpus 0,1), or measure between two machines (--on ssh:a,b); with one processor "
        "only simulate (--on node:p4-400-base)",
    )


def _check_enough_nodes(step: Step, testbed: Testbed) -> None:
    """Before anything starts, not when the step's turn comes."""
    try:
        nodes_of(step, len(testbed.nodes))
    except RequestError as error:
        raise RequestError(f"{testbed.name}: {error.message}", error.hint) from None


def _checked_cpus(cpus: Sequence[int] | None, testbed: Testbed) -> tuple[int, ...] | None:
    if cpus is None:
        return None
    if len(cpus) < len(testbed.nodes):
        raise RequestError(
            f"--cpus names {len(cpus)} processors, {testbed.name} has {len(testbed.nodes)} nodes",
            "name one for each node",
        )
    check_usable(cpus, testbed)
    return tuple(cpus)


def _check_same_nodes(run: Run, testbed: Testbed) -> None:
    then = [node["name"] for node in run.meta.nodes]
    now = [node.name for node in testbed.nodes]
    if then != now:
        raise RequestError(
            f"{run.directory}: was measured on {', '.join(then)}; "
            f"{run.meta.testbed['spec']} now has {', '.join(now)}"
        )
