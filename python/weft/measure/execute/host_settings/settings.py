"""The settings that a launch changes on its nodes, for each step."""

from __future__ import annotations

import asyncio
import contextlib
import datetime
from collections.abc import AsyncIterator, Iterable, Mapping

from msgspec.structs import replace

from weft.knobs.catalog import find
from weft.measure.execute.crew import Crew
from weft.measure.execute.host_settings import places
from weft.measure.execute.host_settings.journal import (
    ChangedSettings,
    Journal,
    JournalFile,
    TestbedRequest,
    session_of,
)
from weft.measure.execute.host_settings.look import see
from weft.measure.execute.host_settings.undo import RestoredSetting, restore_on, restored
from weft.measure.testbed.agent.agent import Agent, AgentError
from weft.measure.testbed.agent.reply import KnobsSet, RestoreReply
from weft.measure.testbed.agent.request import Entry, RestoreKnobs, SetKnobs
from weft.measure.testbed.base import Testbed
from weft.runs.meta import RunMeta

BEAT_EVERY_S = 2.0
"""Interval of signals to the guards, which restore settings after 10 s without one."""
ANSWER_WITHIN_S = 30.0


class HostSettings:
    """The current changes; `restore` undoes them while the agents answer, `restore_afresh` with new agents."""

    def __init__(self, testbed: Testbed, crew: Crew, meta: RunMeta, anyway: bool = False) -> None:
        self._testbed = testbed
        self._crew = crew
        self._meta = meta
        self._anyway = anyway
        self._file: JournalFile | None = None
        self._changed: dict[int, ChangedSettings] = {}
        self._beats: asyncio.Task[None] | None = None

    def of(self, node: int) -> dict[str, str]:
        """The values that were read back on a node after the change, by the name of the knob."""
        changed = self._changed.get(node)
        entries = changed.entries if changed else []
        return {one.name: places.text_of(one.new or {}) for one in entries}

    async def change(self, knobs: Mapping[str, str], nodes: Iterable[int]) -> None:
        """Apply a step's settings on these nodes, and restore those that the step does not change; raises
        AgentError."""
        wanted = {
            node: places.values_of(knobs, node) for node in nodes if node in self._crew.agents
        }
        for node in list(self._changed):
            await self._restore(node, self._unwanted(node, wanted.get(node, {})))
        for node, values in wanted.items():
            have = {one.name for one in self._entries(node)}
            fresh = {name: value for name, value in values.items() if name not in have}
            if fresh:
                await self._look_at(node, fresh)
        await self._set_all()

    async def restore(self) -> None:
        """Restore everything by agents that are idle; raises AgentError."""
        for node in list(self._changed):
            await self._restore(node, self._entries(node))
        self._close()

    async def restore_afresh(self) -> None:
        """After the agents have ended, restore by new agents what is still changed, or leave it in the journal."""
        if self._beats:
            self._beats.cancel()
        if self._file is None:
            return
        found = await restore_on(self._testbed, self._journal())
        for one in found:
            self._tell(one, one.outcome in ("changed", "failed"))
        failed = any(one.outcome == "failed" for one in found)
        self._file.close(is_done=not failed)
        self._file = None

    def _unwanted(self, node: int, wanted: Mapping[str, str]) -> list[Entry]:
        return [one for one in self._entries(node) if wanted.get(one.name) != one.wanted]

    def _entries(self, node: int) -> list[Entry]:
        return self._changed[node].entries if node in self._changed else []

    async def _look_at(self, node: int, fresh: Mapping[str, str]) -> None:
        """Record the changes of these knobs, with their current values."""
        agent = self._crew.agents[node]
        interface = places.interface_of(agent, self._testbed.nodes[node])
        said = await see(agent, interface, [find(name) for name in fresh], self._anyway)
        for one in said.knobs:
            if one.why_not:
                raise AgentError(
                    agent.node, "knob-refused", f"{one.name} cannot be set: {one.why_not}"
                )
        entries = [
            places.entry(find(one.name), interface, one.values, fresh[one.name])
            for one in said.knobs
        ]
        changed = ChangedSettings(node, agent.node, said.boot, said.namespace, [])
        self._changed.setdefault(node, changed).entries.extend(entries)

    async def _set_all(self) -> None:
        """Write the journal, then apply the changes. All nodes were read before, so nodes on one machine agree on the
        previous values."""
        if not any(one.new is None for node in self._changed for one in self._entries(node)):
            return
        self._write()
        if self._beats is None:
            self._beats = asyncio.create_task(self._beat())
        for node, changed in self._changed.items():
            fresh = [one for one in changed.entries if one.new is None]
            if fresh:
                values = await self._set(node, fresh)
                changed.entries = [
                    replace(one, new=values.get(one.name, one.new)) for one in changed.entries
                ]
        self._write()

    async def _set(self, node: int, entries: list[Entry]) -> dict[str, dict[str, str]]:
        agent, session = self._crew.agents[node], session_of(self._session, node)
        asked = SetKnobs(session=session, entries=entries, anyway=self._anyway)
        async with _answer_from(agent):
            await agent.send(asked)
            return (await agent.expect(KnobsSet)).values

    async def _restore(self, node: int, entries: list[Entry]) -> None:
        if not entries:
            return
        agent, changed = self._crew.agents[node], self._changed[node]
        async with _answer_from(agent):
            await agent.send(RestoreKnobs(session=session_of(self._session, node), entries=entries))
            said = (await agent.expect(RestoreReply)).knobs
        for one in restored(said, changed, self._asked):
            self._tell(one, one.outcome != "restored" and one.old != one.wanted)
        failed = {one.name for one in said if one.outcome == "failed"}
        gone = {one.name for one in entries} - failed
        changed.entries = [one for one in changed.entries if one.name not in gone]
        if not changed.entries:
            del self._changed[node]
        self._write()

    def _tell(self, one: RestoredSetting, is_odd: bool) -> None:
        if is_odd:
            code = "settings-not-restored" if one.outcome == "failed" else "settings-changed"
            self._meta.warn(code, one.text, one.hint)

    async def _beat(self) -> None:
        while True:
            for node in self._changed:
                if node in self._crew.agents:
                    self._crew.agents[node].beat()
            await asyncio.sleep(BEAT_EVERY_S)

    @property
    def _session(self) -> str:
        assert self._file is not None
        return self._file.session

    @property
    def _asked(self) -> TestbedRequest:
        known = self._meta.testbed
        names = tuple(node.name for node in self._testbed.nodes)
        return TestbedRequest(
            known.get("spec", ""), known.get("nodes"), known.get("data_ports"), names
        )

    def _journal(self) -> Journal:
        started = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
        return Journal(self._session, self._asked, started, list(self._changed.values()))

    def _write(self) -> None:
        if self._file is None:
            self._file = JournalFile.create()
        self._file.write(self._journal())

    def _close(self) -> None:
        if self._beats:
            self._beats.cancel()
            self._beats = None
        if self._file and not self._changed:
            self._file.close(is_done=True)
            self._file = None


@contextlib.asynccontextmanager
async def _answer_from(agent: Agent) -> AsyncIterator[None]:
    try:
        async with asyncio.timeout(ANSWER_WITHIN_S):
            yield
    except TimeoutError:
        said = f"the agent said nothing of its settings for {ANSWER_WITHIN_S:g} s"
        raise AgentError(agent.node, "agent-silent", said) from None
