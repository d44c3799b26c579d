"""A program of this machine on a node: copied on first use under its hash, and kept there beside the agent."""

from __future__ import annotations

import asyncio

from weft.testbed.agent.agent import start_process
from weft.testbed.hosts.delivery import keep_argv
from weft.testbed.hosts.host import Host
from weft.testbed.hosts.login import log_in
from weft.testbed.hosts.program import Program


async def keep(host: Host, program: Program, slots: asyncio.Semaphore) -> str:
    """The program's path on the node; raises AgentError."""
    async with slots:
        command = host.launcher.command(host.login, keep_argv(program, host.cache))
        process = await start_process(host.name, command)
        path = await log_in(host, program, process)
        process.stdin.close()
        await process.wait()
        return path
