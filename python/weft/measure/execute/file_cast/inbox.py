"""What the nodes of a cast report, in order of arrival."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import TypeAlias

from weft.measure.testbed.agent.agent import Agent, AgentError

Said: TypeAlias = tuple[int, object]
"""A node, with its message or its AgentError."""


class Inbox:
    """Listens to all nodes until it is closed. Closing loses no message that has arrived in part."""

    def __init__(self, agents: Mapping[int, Agent]) -> None:
        self._queue: asyncio.Queue[Said] = asyncio.Queue()
        self._tasks = {
            node: asyncio.ensure_future(self._listen(node, agent)) for node, agent in agents.items()
        }

    async def _listen(self, node: int, agent: Agent) -> None:
        while True:
            try:
                said: object = await agent.receive()
            except AgentError as error:
                await self._queue.put((node, error))
                return
            await self._queue.put((node, said))

    async def next(self, within_s: float) -> Said | None:
        """The next message; None if none arrives in time."""
        try:
            async with asyncio.timeout(within_s):
                return await self._queue.get()
        except TimeoutError:
            return None

    async def stop(self, node: int) -> None:
        """Stop listening to a node."""
        task = self._tasks.pop(node)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    async def close(self) -> None:
        for node in list(self._tasks):
            await self.stop(node)
