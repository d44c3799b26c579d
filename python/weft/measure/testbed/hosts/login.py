"""From a command on this machine to the agent's program on a node."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from weft.measure.testbed.agent.agent import AgentError, Reason, describe_end, start_process
from weft.measure.testbed.agent.process import AgentProcess, last_words
from weft.measure.testbed.hosts.delivery import (
    LoginEnded,
    StartFailure,
    deliver,
    keep_argv,
    start_argv,
)
from weft.measure.testbed.hosts.host import RemoteHost
from weft.measure.testbed.hosts.program import AgentProgram, Programs

DELIVER_S = 60.0
"""How long delivering the program may take after the login."""
LONGEST_QUOTE = 200


def start_command(host: RemoteHost, programs: Programs, arguments: Sequence[str] = ()) -> list[str]:
    """The command that starts an agent on the host."""
    own = [host.agent, *arguments] if host.agent else None
    return host.launcher.command(host.login, own or start_argv(programs, host.cache, arguments))


async def log_in(host: RemoteHost, programs: Programs, process: AgentProcess) -> str:
    """Follow a process through its login until it becomes the agent, or prints where it stores the program.

    Returns the node's architecture, or that path. Raises AgentError and ends the process.
    """
    try:
        return await _follow(host, programs, process)
    except StartFailure as failure:
        await _end(process)
        raise AgentError(host.name, *failure.reason) from None
    except BaseException:
        await _end(process)
        raise


async def keep(host: RemoteHost, program: AgentProgram, slots: asyncio.Semaphore) -> str:
    """The path on the node of a program of this machine, which is copied there on first use and named by its hash.

    Raises AgentError.
    """
    async with slots:
        programs = {program.machine: program}
        command = host.launcher.command(host.login, keep_argv(programs, host.cache))
        process = await start_process(host.name, command)
        path = await log_in(host, programs, process)
        process.stdin.close()
        await process.wait()
        return path


async def _follow(host: RemoteHost, programs: Programs, process: AgentProcess) -> str:
    try:
        async with asyncio.timeout(host.deadline_s) as deadline:

            def extend() -> None:
                deadline.reschedule(asyncio.get_running_loop().time() + DELIVER_S)

            return await deliver(process, programs, extend)
    except TimeoutError:
        text = f"the login took longer than {host.deadline_s:g} s"
        raise StartFailure(Reason("agent-login-silent", text)) from None
    except LoginEnded as end:
        raise StartFailure(await _why_it_ended(host, process, end.said)) from None


async def _why_it_ended(host: RemoteHost, process: AgentProcess, said: str) -> Reason:
    """The reason by the launcher's messages, else the last line printed."""
    words = await last_words(process)
    if explained := host.launcher.explain(words):
        return explained
    process.kill()
    how = describe_end(await process.wait()).replace("the agent", host.launcher.name)
    last = (words or said).strip().splitlines()
    return Reason("agent-not-started", f"{how}: {last[-1][:LONGEST_QUOTE]}" if last else how)


async def _end(process: AgentProcess) -> None:
    process.kill()
    await process.wait()
