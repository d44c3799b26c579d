"""Starting agents on many hosts: so many logins at a time, a deadline for each, and a reason for each failure."""

from __future__ import annotations

import asyncio
import contextlib
import resource
from collections.abc import Mapping

from weft.testbed.agent import Agent, AgentError, describe_end, start_process
from weft.testbed.hosts.delivery import LoginEnded, deliver, start_argv
from weft.testbed.hosts.failure import StartFailure
from weft.testbed.hosts.host import Host
from weft.testbed.hosts.program import Program
from weft.testbed.process import Process, last_words

HOLD_S = 3.0
"""A login that takes longer lets the next one begin, so that hosts that hang do not hold the rest."""
DELIVER_S = 60.0
PIPES_OF_AN_AGENT = 3
LONGEST_QUOTE = 200


async def start_agents(
    hosts: Mapping[int, Host], program: Program, at_once: int
) -> dict[int, Agent | AgentError]:
    """An agent on each host, or why there is none."""
    allow_many_files(len(hosts) * PIPES_OF_AN_AGENT)
    slots = asyncio.Semaphore(at_once)
    starts = (_in_turn(slots, host, program) for host in hosts.values())
    return dict(zip(hosts, await asyncio.gather(*starts), strict=True))


async def _in_turn(slots: asyncio.Semaphore, host: Host, program: Program) -> Agent | AgentError:
    async with slots:
        task = asyncio.ensure_future(_start(host, program))
        try:
            await asyncio.wait({task}, timeout=HOLD_S)
        except asyncio.CancelledError:
            task.cancel()
            raise
    return await task


async def _start(host: Host, program: Program) -> Agent | AgentError:
    try:
        process = await start_process(host.name, start_command(host, program))
        return await become_agent(host, program, process)
    except AgentError as error:
        return error


def start_command(host: Host, program: Program) -> list[str]:
    """The command to run here that leads to an agent on the host."""
    argv = [host.agent] if host.agent else start_argv(program, host.cache, [])
    return host.launcher.command(host.login, argv)


async def become_agent(host: Host, program: Program, process: Process) -> Agent:
    """See a process through its login until it is an agent; raises AgentError and ends the process."""
    try:
        if host.agent is None:
            await _log_in(host, program, process)
        return await Agent.greeted(host.name, process)
    except StartFailure as failure:
        await _end(process)
        raise AgentError(host.name, failure.code, failure.reason) from None
    except AgentError as error:
        raise _explained(host, error) from None
    except BaseException:
        await _end(process)
        raise


async def _log_in(host: Host, program: Program, process: Process) -> None:
    """Until the process becomes the agent; raises StartFailure."""
    try:
        async with asyncio.timeout(host.deadline_s) as deadline:

            def extend() -> None:
                deadline.reschedule(asyncio.get_running_loop().time() + DELIVER_S)

            await deliver(process, program, extend)
    except TimeoutError:
        raise StartFailure(
            "agent-login-silent", f"it did not let us in within {host.deadline_s:g} s"
        ) from None
    except LoginEnded as end:
        raise await _why_it_ended(host, process, end.said) from None


async def _why_it_ended(host: Host, process: Process, said: str) -> StartFailure:
    """What the launcher makes of its messages, else the last thing that was said."""
    words = await last_words(process)
    if explained := host.launcher.explain(words):
        return explained
    process.kill()
    how = describe_end(await process.wait()).replace("the agent", host.launcher.name)
    last = (words or said).strip().splitlines()
    return StartFailure("agent-not-started", f"{how}: {last[-1][:LONGEST_QUOTE]}" if last else how)


def _explained(host: Host, error: AgentError) -> AgentError:
    failure = host.launcher.explain(error.reason)
    return AgentError(host.name, failure.code, failure.reason) if failure else error


async def _end(process: Process) -> None:
    process.kill()
    await process.wait()


def allow_many_files(count: int) -> None:
    """Raise the limit of open files as far as this many need it and the system lets us."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = count + 256
    if soft < wanted:
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (min(wanted, hard), hard))
