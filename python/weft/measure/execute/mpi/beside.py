"""Evidence of an MPI job: the agent of each node records for the rank that runs there."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from collections.abc import AsyncIterator, Sequence
from functools import partial

from weft.measure.execute.pair import OnEvidence
from weft.measure.testbed.agent.agent import Agent, AgentError, Recorded
from weft.measure.testbed.agent.reply import Done, ListenReply, NotRead, RecordReply
from weft.measure.testbed.agent.request import Beside, NoMoreBatches
from weft.measure.testbed.base import Node
from weft.plan.plan import Step

END_WITHIN_S = 2.0
"""An agent stops when its rank ends. One that does not has failed, which is noticed when it is next needed."""


@contextlib.asynccontextmanager
async def recorded(
    step: Step, ranks: Sequence[tuple[int, Node, Agent]], take: OnEvidence
) -> AsyncIterator[dict[str, object]]:
    """Let the agents record while a job runs; gives the settings by which ranks find them.

    Each of `ranks` starts with the index of its node. Raises AgentError if an agent has ended.
    """
    if step.options.evidence is False:
        yield {}
        return
    name = f"weft-{secrets.token_hex(8)}"
    recording: list[tuple[Agent, asyncio.Task[Done]]] = []
    heard: set[int] = set()

    def hear(index: int, said: Recorded) -> None:
        heard.add(index)
        take(index, said)

    try:
        for rank, (index, node, agent) in enumerate(ranks):
            await agent.send(Beside(address=node.address, name=f"{name}-{rank}"))
            try:
                await agent.expect(ListenReply)
            except AgentError as error:
                if error.is_its_end:
                    raise
                hear(index, _nothing(error.reason))
            else:
                done = agent.expect(Done, partial(hear, index))
                recording.append((agent, asyncio.create_task(done)))
        yield {"agent": name}
    finally:
        await _end(recording)
    for index, *_ in ranks:
        if index not in heard:
            take(index, _nothing("the rank did not find its agent"))


def _nothing(reason: str) -> RecordReply:
    return RecordReply([], [NotRead("*", reason)])


async def _end(recording: Sequence[tuple[Agent, asyncio.Task[Done]]]) -> None:
    for agent, _ in recording:
        await agent.send(NoMoreBatches())
    tasks = [task for _, task in recording]
    if tasks:
        await asyncio.wait(tasks, timeout=END_WITHIN_S)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
