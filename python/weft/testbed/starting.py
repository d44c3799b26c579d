"""Agents on the nodes of a testbed whose commands run on this machine."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from weft import binaries
from weft.testbed.agent.agent import Agent, AgentError
from weft.testbed.base import Node


async def start_each(
    testbed_nodes: Sequence[Node],
    node_command: Callable[[Node, list[str]], list[str]],
    nodes: Sequence[int],
) -> dict[int, Agent | AgentError]:
    """An agent on each of the nodes, all at the same time, or why there is none."""
    program = [str(binaries.find("weft-probe"))]

    async def start(node: Node) -> Agent | AgentError:
        try:
            return await Agent.start(node.name, node_command(node, program))
        except AgentError as error:
            return error

    starts = (start(testbed_nodes[node]) for node in nodes)
    return dict(zip(nodes, await asyncio.gather(*starts), strict=True))
