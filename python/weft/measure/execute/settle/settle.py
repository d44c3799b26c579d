"""Decides what a plan leaves open: on which processors, how the ends wait, which nodes are a program's ranks."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from weft.base.errors import RequestError
from weft.measure.execute.applications.web_server import check_servers, with_loops
from weft.measure.execute.host_settings.places import check_knobs
from weft.measure.execute.linpack.settle import settle_linpack
from weft.measure.execute.linpack.size import choose_sizes
from weft.measure.execute.settle.buffers import check_buffers
from weft.measure.execute.settle.ignored_options import leave_out_ignored, refuse_processors
from weft.measure.execute.settle.message_size import with_enough_bytes
from weft.measure.execute.settle.networks import settle_networks
from weft.measure.execute.settle.resolve import check_usable, settle_pairs, too_few_processors
from weft.measure.execute.settle.traffic import settle_traffic
from weft.measure.execute.settle.transport_check import ask_transports, refuse_elsewhere
from weft.measure.testbed.base import Testbed
from weft.measure.testbed.computed.base import is_computed
from weft.measure.testbed.needs import nodes_of
from weft.measure.testbed.programs import check_members, check_parts, check_replay
from weft.plan.pattern import (
    Collective,
    Halo,
    Hpl,
    Interference,
    MultiPair,
    Program,
    Traffic,
    Webserver,
)
from weft.plan.plan import Options, Plan, Step
from weft.plan.trace_file import with_digest
from weft.runs.meta import Warning


def settle(plan: Plan, testbed: Testbed, cpus: list[int] | None) -> tuple[Plan, list[Warning]]:
    """Decide what the plan leaves open: on which processors, and how the ends wait; and what to say of it.

    Spinning spares a wake-up but takes a processor away, so it is chosen only where the testbed has one to
    spare for each end. What is computed comes out the same in every launch, so that one is enough.
    """
    plan, notes = _settled_here(plan, testbed, cpus)
    if is_computed(testbed):
        return plan, notes
    plan = check_servers(ask_transports(plan, testbed), testbed)
    return plan, [*notes, *too_few_processors(plan, testbed)]


def settle_unasked(plan: Plan, testbed: Testbed, cpus: list[int] | None) -> None:
    """Refuse what `settle` would, as far as no node has to be asked for it; raises RequestError."""
    _settled_here(_without_programs(plan), testbed, cpus)


def _settled_here(
    plan: Plan, testbed: Testbed, cpus: list[int] | None
) -> tuple[Plan, list[Warning]]:
    """What no agent has to be started for."""
    said: list[Warning] = []
    if is_computed(testbed):
        refuse_processors(plan, testbed, cpus)
        plan, said = leave_out_ignored(plan, testbed)
    plan, notes = settle_networks(plan, testbed)
    notes += [*_left_out(plan), *said]
    if plan.race and is_computed(testbed):
        raise RequestError(
            f"{plan.name}: a race repeats what varies, and {testbed.name} computes the same each time",
            "run it on machines or a lab; without `race` the steps can be computed once",
        )
    check_knobs(plan, len(testbed.nodes), testbed.is_computed)
    if not is_computed(testbed):
        plan, said = choose_sizes(with_loops(plan), testbed)
        notes += said
    for index, step in enumerate(plan.steps):
        settled, said = _settled(step, testbed, cpus)
        plan, notes = plan.with_step(index, settled), notes + said
    if is_computed(testbed):
        plan, said = with_enough_bytes(replace(plan, launches=1), testbed)
        return plan, notes + said
    refuse_elsewhere(plan, testbed)
    return plan, notes


def _left_out(plan: Plan) -> list[Warning]:
    """What the plan asks of a transport in whose place another was given."""
    if not plan.left_out:
        return []
    return [
        Warning(
            "option-left-out",
            f"{plan.name} is measured without {', '.join(plan.left_out)}, which the transport that was given has not",
            "a plan of your own can say what that transport has in its place (docs/plans.md)",
        )
    ]


def _without_programs(plan: Plan) -> Plan:
    """Linpack asks nodes for their memory, and applications and web servers for their programs."""
    asking = (Hpl, Webserver)
    steps = tuple(
        one for one in plan.steps if not (isinstance(one.pattern, asking) or one.is_real_program)
    )
    return replace(plan, steps=steps)


def _settled(step: Step, testbed: Testbed, cpus: list[int] | None) -> tuple[Step, list[Warning]]:
    """A step with all that the plan leaves open; raises RequestError where the testbed cannot carry it out."""
    if isinstance(step.pattern, Program):
        step = replace(step, pattern=with_digest(step.pattern))
    step = settle_scale(step, testbed)
    if isinstance(step.pattern, Interference) and is_computed(testbed):
        # Each round would come out the same.
        step = replace(step, pattern=replace(step.pattern, rounds=1))
    if is_computed(testbed):
        testbed.check(step)
    else:
        _check_enough_nodes(step, testbed)
        step = _settled_program(step, testbed)
    if isinstance(step.pattern, MultiPair):
        return settle_pairs(step, step.pattern, testbed, cpus)
    said: list[Warning] = []
    if isinstance(step.pattern, Hpl):
        step, said = settle_linpack(step, step.pattern, testbed)
    if is_computed(testbed) or step.is_real_program:
        return step, said
    return replace(step, options=_settled_options(step, testbed, cpus)), said


def settle_scale(step: Step, testbed: Testbed) -> Step:
    """A step with the scale of the run where it is a traffic simulation; raises RequestError."""
    if not isinstance(step.pattern, Traffic):
        return step
    scale = float(testbed.describe().get("scale", 1.0))
    return settle_traffic(step, step.pattern, len(testbed.nodes), scale)


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
    if isinstance(pattern, Collective):
        check_buffers(step, pattern, testbed)
    if isinstance(pattern, (Program, Halo, Hpl)) and not (pattern.compute or step.is_real_program):
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
