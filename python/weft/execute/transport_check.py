"""Whether a testbed has what the transports of a plan need, asked before anything is measured or written."""

from __future__ import annotations

import asyncio
from typing import Any

from weft.errors import RequestError
from weft.execute.crew import Crew
from weft.execute.mpi.command import check_mpi
from weft.execute.multi_pair.step import TRANSPORTS
from weft.execute.resolve import settle_bond
from weft.plan.steps import is_multi_pair
from weft.testbed.base import Testbed
from weft.testbed.needs import nodes_of

INSIDE_A_NODE = ("unix", "shm")
ALWAYS_THERE = ("tcp", "null")


def check_transports(plan: dict[str, Any], testbed: Testbed) -> None:
    """Refuse a plan whose transports this testbed cannot have; raises RequestError."""
    steps = [step for step in plan["steps"] if _needed(step)]
    for step in steps:
        if step["transport"] in INSIDE_A_NODE and testbed.kind != "local":
            raise RequestError(
                f"step {step['name']!r}: {step['transport']} is inside one node, and "
                f"{testbed.kind}:{testbed.name} has its ends on different ones",
                "run it on local:, two processes on this machine",
            )
        if step["transport"] == "mpi":
            check_mpi(step, testbed)
    if steps:
        asyncio.run(_ask_kernels(steps, testbed))


async def _ask_kernels(steps: list[dict[str, Any]], testbed: Testbed) -> None:
    """Agents say what their kernels have. One that does not start is for the run to report."""
    needed = {node for step in steps for node in nodes_of(step, len(testbed.nodes))}
    crew = await Crew.start(testbed, sorted(needed))
    try:
        for step in steps:
            asked = nodes_of(step, len(testbed.nodes))
            for node in asked[:1] if step["transport"] == "icmp" else asked:
                for transport in _needed(step):
                    _check(step, transport, crew, node)
            if is_multi_pair(step) and "bonded" in step["pattern"]["interfaces"]:
                settle_bond(step, testbed, crew.need(asked))
    finally:
        await crew.close()


def _needed(step: dict[str, Any]) -> list[str]:
    """The transports of a step that a kernel must be asked for, and bonds."""
    if not is_multi_pair(step):
        return [] if step["transport"] in ALWAYS_THERE else [step["transport"]]
    policies = step["pattern"]["interfaces"]
    found = [TRANSPORTS[policy] for policy in policies if policy in TRANSPORTS]
    return [*found, *(["bonded"] if "bonded" in policies else [])]


def _check(step: dict[str, Any], transport: str, crew: Crew, node: int) -> None:
    agent = crew.agents.get(node)
    reason = agent.transports.get(transport) if agent else None
    if agent and reason and is_multi_pair(step):
        policy = next(one for one, carrier in TRANSPORTS.items() if carrier == transport)
        raise RequestError(
            f"step {step['name']!r}: interfaces = {policy} is over {transport}, which {agent.node} "
            f"does not have: {reason}",
            "choose others with --interfaces",
        )
    if agent and reason:
        raise RequestError(
            f"step {step['name']!r} is over {transport}, which {agent.node} does not have: {reason}",
            "choose another --transport",
        )
