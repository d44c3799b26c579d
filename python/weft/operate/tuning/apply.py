"""Applies settings of hosts permanently: the journal first, then the commands that a user would type."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path

from msgspec.structs import replace

from weft.base.errors import RequestError, WorkError
from weft.knobs import commands
from weft.knobs.catalog import knobs
from weft.measure.execute.host_settings import places
from weft.measure.execute.host_settings.journal import (
    ChangedSettings,
    Journal,
    JournalFile,
    TestbedRequest,
)
from weft.measure.execute.host_settings.look import see
from weft.measure.testbed.agent.agent import Agent
from weft.measure.testbed.base import Node, Testbed
from weft.measure.testbed.event_loop import run_to_end
from weft.measure.testbed.lab import registry
from weft.operate.tuning.request import COMMAND, TuneRequest
from weft.runs.work_document import refuse_taken

WITHIN_S = 30.0


def refuse_wrong(request: TuneRequest) -> None:
    """Find everything that can be wrong before a testbed is opened; raises RequestError."""
    refuse_taken(Path(request.out), f"{COMMAND} --resume {request.out}")
    request.check()
    _refuse_short_lived(request)


def _refuse_short_lived(request: TuneRequest) -> None:
    """Refuse to apply settings in a lab that ends with this tuning; raises RequestError."""
    kind, _, name = request.testbed.partition(":")
    if request.apply and kind == "lab" and registry.get(name) is None:
        raise RequestError(
            f"--apply: {request.testbed} is made for this tuning and ends with it",
            f"`weft lab up {name}` first, or leave out --apply",
        )


def apply(request: TuneRequest, settings: Mapping[str, str], started: str) -> tuple[str, ...]:
    """Set the knobs of hosts on both nodes; returns what was set, as text. `weft tune --undo` reverts it.

    Raises WorkError if a command fails; what was set before stays in the journal.
    """
    wanted = {name: value for name, value in settings.items() if knobs()[name].is_of_node}
    if not wanted:
        return ()
    with request.open() as testbed:
        file = JournalFile.create()
        try:
            return tuple(_apply(testbed, request, wanted, file, started))
        finally:
            file.close(is_done=False)


def _apply(
    testbed: Testbed,
    request: TuneRequest,
    wanted: Mapping[str, str],
    file: JournalFile,
    started: str,
) -> Iterator[str]:
    before, interfaces = run_to_end(_changes(testbed, request, wanted))
    names = tuple(node.name for node in testbed.nodes)
    asked = TestbedRequest(request.testbed, request.nodes, request.ports, names)
    file.write(Journal(file.session, asked, started, before))
    for changed in before:
        node = testbed.nodes[changed.node]
        for name, value in wanted.items():
            for command in commands.by_hand(knobs()[name], value, interfaces[changed.node]):
                _run(testbed, node, command)
            yield f"{name} on {node.name} is {value}"
    after, _ = run_to_end(_changes(testbed, request, wanted))
    now = {(one.node, entry.name): entry.old for one in after for entry in one.entries}
    for one in before:
        one.entries = [replace(entry, new=now[one.node, entry.name]) for entry in one.entries]
    file.write(Journal(file.session, asked, started, before))


def _run(testbed: Testbed, node: Node, command: str) -> None:
    done = subprocess.run(
        testbed.node_command(node, ["sh", "-c", command]),
        capture_output=True,
        text=True,
        timeout=WITHIN_S,
        check=False,
    )
    if done.returncode:
        raise WorkError(
            f"{node.name}: {command}: {done.stderr.strip() or 'failed'}",
            "`weft tune --undo` takes back what was set before",
        )


async def _changes(
    testbed: Testbed, request: TuneRequest, wanted: Mapping[str, str]
) -> tuple[list[ChangedSettings], dict[int, str]]:
    """The current values of the knobs on both nodes, and the interfaces by node; raises AgentError."""
    agents = await testbed.start_agents([0, 1])
    try:
        found, interfaces = [], {}
        for node, agent in agents.items():
            if not isinstance(agent, Agent):
                raise agent
            interface = places.interface_of(agent, testbed.nodes[node])
            said = await see(
                agent, interface, [knobs()[name] for name in wanted], request.apply_anyway
            )
            entries = [
                places.entry(knobs()[one.name], interface, one.values, wanted[one.name])
                for one in said.knobs
            ]
            found.append(ChangedSettings(node, agent.node, said.boot, said.namespace, entries))
            interfaces[node] = interface
        return found, interfaces
    finally:
        for agent in agents.values():
            if isinstance(agent, Agent):
                await agent.close()
