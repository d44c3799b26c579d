"""Asks agents for what only they know, before anything is measured or written."""

from __future__ import annotations

from msgspec.structs import replace

from weft.measure.execute.crew import Crew
from weft.measure.execute.kinds.every import kind_of
from weft.measure.testbed.base import Testbed
from weft.measure.testbed.event_loop import run_to_end
from weft.plan.plan import Plan, Step


def ask_agents(plan: Plan, testbed: Testbed) -> Plan:
    """The plan with what agents report about their nodes; raises RequestError if a node lacks what a step needs."""
    count = len(testbed.nodes)
    asked = {node for step in plan.steps for node in kind_of(step).asked_nodes(count)}
    if not asked:
        return plan
    return replace(plan, steps=run_to_end(_answered(plan, testbed, sorted(asked))))


async def _answered(plan: Plan, testbed: Testbed, nodes: list[int]) -> tuple[Step, ...]:
    crew = await Crew.start(testbed, nodes)
    try:
        return tuple([await kind_of(step).ask(crew, testbed) for step in plan.steps])
    finally:
        await crew.close()
