"""Watches a job: agents on all of its nodes record which sockets are opened while it runs."""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from weft.base import binaries
from weft.base.errors import WorkError
from weft.measure.execute.crew import Crew, not_started
from weft.measure.testbed.agent.agent import Agent
from weft.measure.testbed.agent.reply import SocketsReply, SocketWatchReply
from weft.measure.testbed.agent.request import NoMoreBatches, Sockets
from weft.measure.testbed.base import Testbed
from weft.measure.testbed.event_loop import run_to_end
from weft.operate.job_ports.connection import PortUsage
from weft.operate.job_ports.job import running
from weft.operate.job_ports.seen import NodeReport
from weft.operate.job_ports.usage import usage_of

SETTLES_S = 0.3
"""What other nodes do this long after the command has ended still belongs to the job."""


@dataclass(frozen=True)
class Command:
    """How the job is started: on this machine, or on the first node of a testbed; and its time limit."""

    argv: Sequence[str]
    environment: Mapping[str, str]
    starts_here: bool
    limit_s: float | None = None


def observe(testbed: Testbed, command: Command) -> PortUsage:
    """Run the job once and watch it; raises RequestError, and WorkError if a node has no agent."""
    return run_to_end(_observe(testbed, command))


async def _observe(testbed: Testbed, command: Command) -> PortUsage:
    # All nodes of `local:` are this machine.
    nodes = [] if testbed.kind == "local" else list(range(len(testbed.nodes)))
    crew = await Crew.start(testbed, nodes)
    try:
        if crew.lost:
            raise WorkError(not_started(crew.lost.values(), len(nodes)))
        agents = [crew.agents[node] for node in nodes]
        if command.starts_here:
            here = [str(binaries.find("weft-probe"))]
            crew.agents[-1] = await Agent.start(socket.gethostname(), here)
            agents.insert(0, crew.agents[-1])
        return await _watch(agents, command)
    finally:
        await crew.close()


async def _watch(agents: list[Agent], command: Command) -> PortUsage:
    ahead = [await agent.clock_offset_ns() for agent in agents]
    await asyncio.gather(*(agent.send(Sockets()) for agent in agents))
    watching = await asyncio.gather(*(agent.expect(SocketWatchReply) for agent in agents))
    async with running(command.argv, command.environment) as job:
        status = await job.wait(command.limit_s)
        seconds = time.monotonic_ns() - job.started_ns
    await asyncio.sleep(SETTLES_S)
    await asyncio.gather(*(agent.send(NoMoreBatches()) for agent in agents))
    reports = await asyncio.gather(*(agent.expect(SocketsReply) for agent in agents))
    seen = [
        NodeReport(agent.node, report, offset + job.started_ns, said)
        for agent, report, offset, said in zip(agents, reports, ahead, watching, strict=True)
    ]
    return usage_of(_distinct(seen), (0, job.pid), seconds / 1e9, status)


def _distinct(seen: list[NodeReport]) -> list[NodeReport]:
    """Each machine once: this machine may also be a node, and then has the node's name."""
    found: dict[tuple[str, str], NodeReport] = {}
    for one in seen:
        place = one.report.boot, one.report.namespace
        if place in found:
            found[place].node = one.node
        else:
            found[place] = one
    return list(found.values())
