"""Settles what a plan leaves open: processors, how the ends wait, and which nodes are a program's ranks."""

from __future__ import annotations

from msgspec.structs import replace

from weft.base.errors import RequestError
from weft.measure.execute.host_settings.places import check_knobs
from weft.measure.execute.kinds.every import kind_of
from weft.measure.execute.kinds.kind import Settled
from weft.measure.execute.settle.ask import ask_agents
from weft.measure.execute.settle.ignored_options import leave_out_ignored, refuse_processors
from weft.measure.execute.settle.message_size import with_enough_bytes
from weft.measure.execute.settle.networks import settle_networks
from weft.measure.execute.settle.transport_check import refuse_elsewhere
from weft.measure.testbed.base import Testbed
from weft.measure.testbed.computed.base import Simulator, is_computed
from weft.plan.plan import Plan, Step
from weft.runs.meta import Warning


def settle(plan: Plan, testbed: Testbed, cpus: list[int] | None) -> tuple[Plan, list[Warning]]:
    """The plan with everything settled that it leaves open, and warnings for the user; raises RequestError."""
    plan, notes = _settled_here(plan, testbed, cpus)
    return (plan if is_computed(testbed) else ask_agents(plan, testbed)), notes


def settle_unasked(plan: Plan, testbed: Testbed, cpus: list[int] | None) -> None:
    """Refuse what `settle` would, as far as this needs no node; raises RequestError."""
    steps = tuple(one for one in plan.steps if not kind_of(one).asks_nodes)
    _settled_here(replace(plan, steps=steps), testbed, cpus)


def _settled_here(
    plan: Plan, testbed: Testbed, cpus: list[int] | None
) -> tuple[Plan, list[Warning]]:
    """The plan with everything settled that needs no agent."""
    if is_computed(testbed):
        return _settled_simulated(plan, testbed, cpus)
    plan, notes = settle_networks(plan, testbed)
    notes += _left_out(plan)
    check_knobs(plan, len(testbed.nodes), False)
    steps = [one for step in plan.steps for one in kind_of(step).live_steps()]
    plan, said = _with_steps(
        plan, [kind_of(one).with_amount(testbed, plan.launches) for one in steps]
    )
    notes += said
    plan, said = _with_steps(plan, [_settled_live(step, testbed, cpus) for step in plan.steps])
    refuse_elsewhere(plan, testbed)
    return plan, notes + said


def _settled_simulated(
    plan: Plan, testbed: Simulator, cpus: list[int] | None
) -> tuple[Plan, list[Warning]]:
    """The plan for a simulator, whose results are the same in every launch, so one launch is enough."""
    refuse_processors(plan, testbed, cpus)
    plan, ignored = leave_out_ignored(plan, testbed)
    plan, notes = settle_networks(plan, testbed)
    notes += [*_left_out(plan), *ignored]
    if plan.race:
        raise RequestError(
            f"{plan.name}: a race repeats what varies, and {testbed.name} computes the same each time",
            "run it on machines or a lab; without `race` the steps can be computed once",
        )
    check_knobs(plan, len(testbed.nodes), True)
    once = [kind_of(step).without_repetition() for step in plan.steps]
    scaled = [kind_of(step).with_scale(testbed) for step in once]
    plan, said = _with_steps(
        plan, [kind_of(step).settle_simulated(testbed, cpus) for step in scaled]
    )
    plan, larger = with_enough_bytes(replace(plan, launches=1), testbed)
    return plan, notes + said + larger


def _with_steps(plan: Plan, settled: list[Settled]) -> tuple[Plan, list[Warning]]:
    steps = tuple(step for step, _ in settled)
    return replace(plan, steps=steps), [note for _, said in settled for note in said]


def _left_out(plan: Plan) -> list[Warning]:
    """Warnings about options of a transport that the user has replaced."""
    if not plan.left_out:
        return []
    return [
        Warning(
            "option-left-out",
            f"{plan.name} is measured without {', '.join(plan.left_out)}, which the transport that was given has not",
            "a plan of your own can say what that transport has in its place (docs/plans.md)",
        )
    ]


def _settled_live(step: Step, testbed: Testbed, cpus: list[int] | None) -> Settled:
    """A step with everything settled; raises RequestError if the testbed cannot carry it out."""
    step = kind_of(step).with_scale(testbed)
    kind = kind_of(step)
    try:
        # Refuse before anything starts, not when the step's turn comes.
        kind.nodes(len(testbed.nodes))
    except RequestError as error:
        raise RequestError(f"{testbed.name}: {error.message}", error.hint) from None
    return kind.settle_live(testbed, cpus)
