"""The agents of a launch: fresh processes, some of which may be lost while it runs."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Set

from weft.base.errors import WorkError
from weft.base.nodeset import fold, natural
from weft.measure.execute.logbook import Logbook
from weft.measure.testbed.agent.agent import Agent, AgentError
from weft.measure.testbed.base import Testbed


class Crew:
    """The living agents by node, and the errors of those that were lost."""

    def __init__(self, agents: dict[int, Agent], failures: dict[int, AgentError]) -> None:
        self.agents = agents
        self.lost = failures

    @classmethod
    async def start(cls, testbed: Testbed, nodes: Iterable[int]) -> Crew:
        """Start an agent on each node at the same time; nodes whose agent does not start are lost."""
        results = await testbed.start_agents(list(nodes))
        return cls(
            {node: one for node, one in results.items() if isinstance(one, Agent)},
            {node: one for node, one in results.items() if isinstance(one, AgentError)},
        )

    def need(self, nodes: Iterable[int]) -> list[Agent]:
        """The agents of these nodes; raises the AgentError of a lost one."""
        wanted = list(nodes)
        for node in wanted:
            if node in self.lost:
                raise self.lost[node]
        return [self.agents[node] for node in wanted]

    async def gone(self, nodes: Iterable[int]) -> dict[int, AgentError]:
        """The nodes whose agents no longer answer, with their errors."""
        asked = list(nodes)
        found = await asyncio.gather(*(self.agents[node].failure() for node in asked))
        return {node: error for node, error in zip(asked, found, strict=True) if error}

    async def drop(self, node: int, error: AgentError) -> None:
        """Continue without a node."""
        self.lost[node] = error
        await self.agents.pop(node).kill()

    async def close(self) -> None:
        """End all agents."""
        await asyncio.gather(*(agent.close() for agent in self.agents.values()))


class TooFewNodes(WorkError):
    """Fewer than two nodes are left."""


def living(logbook: Logbook, nodes: Set[int], crew: Crew) -> list[int]:
    """The nodes of a step that have an agent, in order; raises TooFewNodes if fewer than two are left."""
    found = sorted(nodes & crew.agents.keys())
    if len(found) < 2:
        names = fold(logbook.names(nodes & crew.lost.keys()))
        raise TooFewNodes(
            f"{logbook.step_name} needs at least two nodes, {len(found)} of {len(nodes)} is left: {names} failed"
        )
    return found


def not_started(errors: Iterable[AgentError], nodes: int) -> str:
    """Text that says which of the `nodes` nodes did not start and why, most common reason first; nodes with the same
    reason share a line."""
    by_reason: dict[str, list[str]] = {}
    for error in errors:
        by_reason.setdefault(error.reason, []).append(error.node)
    count = sum(map(len, by_reason.values()))
    lines = sorted(by_reason.items(), key=lambda one: (-len(one[1]), natural(one[1][0])))
    table = [f"{fold(sorted(names, key=natural))}: {reason}" for reason, names in lines]
    title = f"{count} of {nodes} nodes did not start: "
    return title + table[0] if len(table) == 1 else "\n  ".join([title.strip(), *table])
