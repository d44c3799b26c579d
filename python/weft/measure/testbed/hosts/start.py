"""Starts agents on many hosts: a limited number of logins at a time, a deadline for each, and a reason for each
failure."""

from __future__ import annotations

import asyncio
import itertools
from collections import ChainMap
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import partial

from weft.measure.testbed.agent.agent import Agent, AgentError, start_process
from weft.measure.testbed.agent.process import AgentProcess
from weft.measure.testbed.hosts.host import Pace, RemoteHost
from weft.measure.testbed.hosts.login import log_in, start_command
from weft.measure.testbed.hosts.program import Programs
from weft.measure.testbed.hosts.relay import OWN_PROGRAM, SshRelay
from weft.measure.testbed.hosts.room import no_room, room_for
from weft.measure.testbed.hosts.turns import Turns

GREET_S = 20.0
DROPPED = "agent-login-dropped"
FEW_AT_ONCE = 8
"""With this many simultaneous logins, an sshd with the default MaxStartups drops none."""

OTHER_FROM_ELSEWHERE = {
    "agent-host-key-changed",
    "agent-host-key-unknown",
    "agent-login-dropped",
    "agent-login-refused",
    "agent-login-unreachable",
    "agent-lost",
    "agent-name-unknown",
    "agent-not-started",
}

Started = Agent | AgentError


@dataclass(frozen=True)
class Starter:
    """Starts agents at a given pace, each with the program for its node's architecture."""

    _programs: Programs
    _pace: Pace

    async def start(self, hosts: Mapping[int, RemoteHost]) -> dict[int, Started]:
        """An agent on each host, or the reason why there is none."""
        room = room_for(len(hosts))
        turns = Turns(self._pace.at_once)
        branches = self._pace.branches(list(hosts))
        if not branches:
            return await self._from_here(hosts, turns, room)
        parts = [{node: hosts[node] for node in branch} for branch in branches]
        started = ChainMap(*await asyncio.gather(*(self._branch(part, turns) for part in parts)))
        return {node: started[node] for node in hosts}

    async def _branch(self, hosts: Mapping[int, RemoteHost], turns: Turns) -> dict[int, Started]:
        """The first host starts the agents of the others; those that it cannot reach are started from here."""
        (first, top), *rest = hosts.items()
        try:
            relay = await turns.take(partial(self._relay, top))
        except AgentError as error:
            return {first: error} | await self._from_here(dict(rest), turns)
        own = Turns(self._pace.at_once)
        started = {first: await self._on_relay(top, relay)}
        started |= await self._each(dict(rest), partial(self._behind, relay), own)
        await relay.start_no_more()
        failed = {node: hosts[node] for node, one in started.items() if _may_do_from_here(one)}
        return started | await self._from_here(failed, turns)

    async def _from_here(
        self, hosts: Mapping[int, RemoteHost], turns: Turns, room: int | None = None
    ) -> dict[int, Started]:
        """Start as many as limits allow. Logins that were dropped because of too many at a time are repeated, a few at
        a time."""
        fitting = dict(itertools.islice(hosts.items(), room))
        started = await self._each(fitting, self._directly, turns)
        dropped = {node: hosts[node] for node, one in started.items() if _was_dropped(one)}
        started |= await self._each(dropped, self._directly, Turns(FEW_AT_ONCE))
        return {
            node: started.get(node) or AgentError(host.name, "agent-no-room", no_room(len(fitting)))
            for node, host in hosts.items()
        }

    async def _each(
        self,
        hosts: Mapping[int, RemoteHost],
        start: Callable[[RemoteHost], Awaitable[Agent]],
        turns: Turns,
    ) -> dict[int, Started]:
        starts = [_or_error(turns.take(partial(start, host))) for host in hosts.values()]
        return dict(zip(hosts, await asyncio.gather(*starts), strict=True))

    async def _directly(self, host: RemoteHost) -> Agent:
        process = await start_process(host.name, start_command(host, self._programs))
        return await self._become_agent(host, process)

    async def _behind(self, relay: SshRelay, host: RemoteHost) -> Agent:
        return await self._become_agent(host, relay.start(start_command(host, self._programs)))

    async def _become_agent(self, host: RemoteHost, process: AgentProcess) -> Agent:
        await self._log_in(host, process)
        return await Agent.greeted(host.name, process, host.launcher.explain)

    async def _relay(self, host: RemoteHost) -> SshRelay:
        process = await start_process(host.name, start_command(host, self._programs, ["relay"]))
        machine = await self._log_in(host, process)
        return await SshRelay.greeted(host.name, process, GREET_S, machine)

    async def _log_in(self, host: RemoteHost, process: AgentProcess) -> str:
        """The node's architecture; "" if the program is already there, as it prints nothing before it is the agent."""
        return "" if host.agent else await log_in(host, self._programs, process)

    async def _on_relay(self, host: RemoteHost, relay: SshRelay) -> Started:
        return await _or_error(Agent.greeted(host.name, relay.start(OWN_PROGRAM)))


async def _or_error(start: Awaitable[Agent]) -> Started:
    try:
        return await start
    except AgentError as error:
        return error


def _may_do_from_here(started: Started) -> bool:
    """Whether a host that a relay could not start may admit this machine, which has other keys and names."""
    return isinstance(started, AgentError) and started.code in OTHER_FROM_ELSEWHERE


def _was_dropped(started: Started) -> bool:
    return isinstance(started, AgentError) and started.code == DROPPED
