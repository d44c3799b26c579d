"""Whether a testbed has what the transports of a plan need, asked before anything is measured or written."""

from __future__ import annotations

from msgspec.structs import replace

from weft.base.errors import RequestError
from weft.measure.execute.crew import Crew
from weft.measure.execute.mpi.command import check_mpi
from weft.measure.execute.multi_pair.step import TRANSPORTS
from weft.measure.execute.settle.resolve import bond_of
from weft.measure.testbed.base import Testbed
from weft.measure.testbed.event_loop import run_to_end
from weft.measure.testbed.needs import nodes_of
from weft.plan.pattern import MultiPair
from weft.plan.plan import Plan, Step

INSIDE_A_NODE = ("unix", "shm")
ALWAYS_THERE = ("tcp", "null")


def refuse_elsewhere(plan: Plan, testbed: Testbed) -> None:
    """Raise RequestError for a transport that is not for this kind of testbed."""
    for step in plan.steps:
        if step.transport in INSIDE_A_NODE and testbed.kind != "local":
            raise RequestError(
                f"step {step.name!r}: {step.transport} is inside one node, and "
                f"{testbed.kind}:{testbed.name} has its ends on different ones",
                "run it on local:, two processes on this machine",
            )
        if step.uses_mpi and not step.is_real_program:
            check_mpi(step, testbed)


def ask_transports(plan: Plan, testbed: Testbed) -> Plan:
    """The plan with the interfaces that bond others; raises RequestError where a node does not have a transport."""
    steps = {index: step for index, step in enumerate(plan.steps) if _needed(step)}
    checked = run_to_end(_ask_kernels(steps, testbed)) if steps else {}
    return replace(plan, steps=tuple(checked.get(i, step) for i, step in enumerate(plan.steps)))


async def _ask_kernels(steps: dict[int, Step], testbed: Testbed) -> dict[int, Step]:
    """Agents say what their kernels have. One that does not start is for the run to report."""
    needed = {node for step in steps.values() for node in nodes_of(step, len(testbed.nodes))}
    crew = await Crew.start(testbed, sorted(needed))
    try:
        return {index: _ask_kernel(step, testbed, crew) for index, step in steps.items()}
    finally:
        await crew.close()


def _ask_kernel(step: Step, testbed: Testbed, crew: Crew) -> Step:
    asked = nodes_of(step, len(testbed.nodes))
    for node in asked[:1] if step.transport == "icmp" else asked:
        for transport in _needed(step):
            _check(step, transport, crew, node)
    pattern = step.pattern
    if not isinstance(pattern, MultiPair) or "bonded" not in pattern.interfaces:
        return step
    bonded = bond_of(step, pattern.networks, testbed, crew.need(asked))
    return replace(step, pattern=replace(pattern, bonded=bonded))


def _needed(step: Step) -> list[str]:
    """The transports of a step that a kernel must be asked for, and bonds."""
    if step.is_real_program:
        return []
    if not isinstance(step.pattern, MultiPair):
        return [] if step.transport in ALWAYS_THERE else [step.transport]
    policies = step.pattern.interfaces
    found = [TRANSPORTS[policy] for policy in policies if policy in TRANSPORTS]
    return [*found, *(["bonded"] if "bonded" in policies else [])]


def _check(step: Step, transport: str, crew: Crew, node: int) -> None:
    agent = crew.agents.get(node)
    reason = agent.transports.get(transport) if agent else None
    if agent and reason and step.is_multi_pair:
        policy = next(one for one, carrier in TRANSPORTS.items() if carrier == transport)
        raise RequestError(
            f"step {step.name!r}: interfaces = {policy} is over {transport}, which {agent.node} "
            f"does not have: {reason}",
            "choose others with --interfaces",
        )
    if agent and reason:
        raise RequestError(
            f"step {step.name!r} is over {transport}, which {agent.node} does not have: {reason}",
            "choose another --transport",
        )
