"""The values of settings on nodes, and which of them can be changed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import Struct

from weft.base.errors import RequestError
from weft.knobs.knob import Knob
from weft.measure.execute.host_settings import places
from weft.measure.testbed.agent.agent import Agent
from weft.measure.testbed.agent.reply import KnobReading, KnobsReply
from weft.measure.testbed.agent.request import ReadKnobs
from weft.measure.testbed.base import Testbed
from weft.measure.testbed.event_loop import run_to_end


class KnobState(Struct, frozen=True):
    """A knob on a node: `value` is None if it cannot be read; `why_not` says why it cannot be changed, "" if it can.

    `allowed` lists the values that the node offers, if known. Knobs of sockets and MPI have no value on a node.
    """

    value: str | None = None
    why_not: str = ""
    allowed: tuple[str, ...] = ()
    interface: str = ""


def look(
    testbed: Testbed, knobs: Iterable[Knob], anyway: bool = False
) -> dict[str, dict[str, KnobState]]:
    """The state of each knob, by the names of node and knob; nothing is changed. Raises RequestError and AgentError.

    With `anyway`, the interface that carries the ssh connection can be changed too.
    """
    if testbed.is_computed:
        raise RequestError(f"{testbed.kind}:{testbed.name}: is computed, so it has no settings")
    return run_to_end(_look(testbed, list(knobs), anyway))


async def _look(
    testbed: Testbed, knobs: Sequence[Knob], anyway: bool
) -> dict[str, dict[str, KnobState]]:
    found = await testbed.start_agents(range(len(testbed.nodes)))
    agents = {node: one for node, one in found.items() if isinstance(one, Agent)}
    try:
        for one in found.values():
            if not isinstance(one, Agent):
                raise one
        return {
            testbed.nodes[node].name: await _of_node(agent, testbed, node, knobs, anyway)
            for node, agent in agents.items()
        }
    finally:
        for agent in agents.values():
            await agent.close()


async def _of_node(
    agent: Agent, testbed: Testbed, node: int, knobs: Sequence[Knob], anyway: bool
) -> dict[str, KnobState]:
    interface = places.interface_of(agent, testbed.nodes[node])
    seen = {one.name: one for one in (await see(agent, interface, knobs, anyway)).knobs}
    return {knob.name: _seen(knob, seen.get(knob.name), interface) for knob in knobs}


async def see(agent: Agent, interface: str, knobs: Sequence[Knob], anyway: bool) -> KnobsReply:
    """The agent's report on knobs that are set on nodes; raises AgentError."""
    asked = places.questions(knobs, interface)
    await agent.send(ReadKnobs(knobs=asked, anyway=anyway))
    return await agent.expect(KnobsReply)


def _seen(knob: Knob, said: KnobReading | None, interface: str) -> KnobState:
    if said is None:
        return KnobState()
    if knob.scope == "interface" and not interface:
        return KnobState(why_not="no interface has the measured address")
    return KnobState(
        value=places.text_of(said.values) if said.values else None,
        why_not=said.why_not,
        allowed=tuple(places.text_of(said.allowed).split()),
        interface=interface if knob.scope == "interface" else "",
    )
