"""Options of a catalogue plan that only matter on real nodes are left out of a simulation, with a warning."""

from __future__ import annotations

from msgspec.structs import replace

from weft.base import catalog
from weft.base.errors import RequestError
from weft.measure.testbed.computed.base import Simulator
from weft.measure.testbed.computed.options import ignored, option_name, without
from weft.plan.load import load_plan
from weft.plan.plan import Plan, Step
from weft.runs.meta import Warning


def leave_out_ignored(plan: Plan, testbed: Simulator) -> tuple[Plan, list[Warning]]:
    """The plan without options that it sets itself and that change nothing in a simulation. Options that it varies, or
    that the user gave, stay and are refused."""
    own = {step.name: step for step in _catalogue_steps(plan)}
    left_out: dict[str, None] = {}
    for index, step in enumerate(plan.steps):
        names = [
            name for name in ignored(step, testbed.kind) if _is_own(step, own.get(step.name), name)
        ]
        plan = plan.with_step(index, without(step, names))
        left_out |= dict.fromkeys(map(option_name, names))
    if not left_out:
        return plan, []
    where = f"{testbed.kind}:{testbed.name}"
    said = f"{plan.name} is computed without {', '.join(left_out)}, which {where} does not simulate"
    hint = "measure on local: or lab:FABRIC, where these options are carried out"
    return plan, [Warning("option-left-out", said, hint)]


def _catalogue_steps(plan: Plan) -> tuple[Step, ...]:
    if plan.name not in catalog.names("plan"):
        return ()
    try:
        return load_plan(plan.name).steps
    except RequestError:
        return ()  # some need an argument


def _is_own(step: Step, own: Step | None, name: str) -> bool:
    """Whether the option has the catalogue's value and no study varies it."""
    varied = step.over.values if step.over else {}
    if own is None or f"options.{option_name(name)}" in varied:
        return False
    return bool(getattr(own.options, name) == getattr(step.options, name))


def refuse_processors(plan: Plan, testbed: Simulator, cpus: list[int] | None) -> None:
    """Refuse --cpus if a machine's placement decides, or no processor is simulated; raises RequestError."""
    if cpus is None or any(not _ignores_cpus(step, testbed, cpus) for step in plan.steps):
        return
    raise RequestError(
        f"--cpus would change nothing on {testbed.kind}:{testbed.name}",
        "leave it out; of node:MACHINE the placement says which processor does what (`weft machine list`)",
    )


def _ignores_cpus(step: Step, testbed: Simulator, cpus: list[int]) -> bool:
    options = replace(step.options, cpus=tuple(cpus))
    return "cpus" in ignored(replace(step, options=options), testbed.kind)
