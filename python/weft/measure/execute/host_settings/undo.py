"""Restores what a run has changed and could not restore itself."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal

from msgspec import Struct

from weft.base.errors import WeftError
from weft.measure.execute.host_settings import places
from weft.measure.execute.host_settings.journal import (
    ChangedSettings,
    Journal,
    TestbedRequest,
    left_over,
    session_of,
)
from weft.measure.testbed.agent.agent import Agent, AgentError
from weft.measure.testbed.agent.reply import KnobsReply, RestoredKnob, RestoreReply
from weft.measure.testbed.agent.request import ReadKnobs, RestoreKnobs
from weft.measure.testbed.base import Testbed
from weft.measure.testbed.event_loop import run_to_end
from weft.measure.testbed.lab import registry
from weft.measure.testbed.open import open_testbed

Outcome = Literal["restored", "unchanged", "changed", "failed", "gone"]


class RestoredSetting(Struct, frozen=True):
    """What became of a changed setting. "unchanged": already had its previous value; "changed": another program has
    changed it, so it stays; "gone": lost with a reboot or a lab."""

    testbed: str
    node: str
    knob: str
    old: str
    wanted: str
    now: str
    outcome: Outcome
    why: str = ""

    @property
    def text(self) -> str:
        """The result as a sentence."""
        where = f"{self.knob} on {self.node}"
        return {
            "restored": f"{where}: is {self.old} again, it was {self.wanted}",
            "unchanged": f"{where}: was {self.old} again already",
            "changed": f"{where}: is {self.now}, neither {self.old} as before nor {self.wanted} as it was set: "
            "another program has changed it, so it stays",
            "failed": f"{where}: may still be {self.wanted} instead of {self.old}: {self.why}",
            "gone": f"{where}: the change to {self.wanted} is gone: {self.why}",
        }[self.outcome]

    @property
    def hint(self) -> str:
        """What the user can do, "" if nothing."""
        if self.outcome == "failed":
            return "`weft tune --undo` tries again"
        changed = self.outcome in ("changed", "unchanged")
        return "find out what else changes settings there; measure again" if changed else ""


def undo() -> list[RestoredSetting]:
    """Restore all that runs have changed on their nodes and not restored, by the journals on this machine.

    Runs in progress are left alone. What fails stays in its journal, so that it can be tried again.
    """
    done = []
    for file, journal in left_over():
        found = _undo(journal) if journal else []
        file.close(is_done=all(one.outcome != "failed" for one in found))
        done += found
    return done


def _undo(journal: Journal) -> list[RestoredSetting]:
    asked = journal.asked
    if _is_gone(asked.spec):
        return _all(journal, "gone", "its lab is down")
    try:
        with open_testbed(
            asked.spec, nodes=asked.nodes, ports=asked.ports, may_ask=False, wanted=asked.names
        ) as testbed:
            if tuple(node.name for node in testbed.nodes) != asked.names:
                return _all(journal, "failed", f"{asked.spec} has other nodes now")
            return run_to_end(restore_on(testbed, journal))
    except WeftError as error:
        return _all(journal, "failed", error.message)


def _is_gone(spec: str) -> bool:
    """Whether the testbed was a lab that is down: opening it would build a new one."""
    kind, _, name = spec.partition(":")
    if kind != "lab":
        return False
    entry = registry.get(name)
    return entry is None or entry.private or entry.state == "stale"


async def restore_on(testbed: Testbed, journal: Journal) -> list[RestoredSetting]:
    """Restore a journal's settings with new agents; failures are returned, not raised."""
    changed = {one.node: one for one in journal.nodes if one.entries}
    agents = await testbed.start_agents(sorted(changed))
    done: list[RestoredSetting] = []
    for node, agent in agents.items():
        if isinstance(agent, Agent):
            try:
                done += await _restore_node(agent, changed[node], journal)
            except AgentError as error:
                done += _of_node(changed[node], journal.asked, "failed", error.reason)
            finally:
                await agent.close()
        else:
            done += _of_node(changed[node], journal.asked, "failed", agent.reason)
    return done


async def _restore_node(
    agent: Agent, changed: ChangedSettings, journal: Journal
) -> list[RestoredSetting]:
    await agent.send(ReadKnobs(knobs=[]))
    seen = await agent.expect(KnobsReply)
    if seen.boot != changed.boot:
        return list(_of_node(changed, journal.asked, "gone", "the node was rebooted since"))
    if seen.namespace != changed.namespace:
        return list(_of_node(changed, journal.asked, "gone", "its network namespace is another"))
    session = session_of(journal.session, changed.node)
    await agent.send(RestoreKnobs(session=session, entries=changed.entries))
    said = (await agent.expect(RestoreReply)).knobs
    return list(restored(said, changed, journal.asked))


def restored(
    said: Iterable[RestoredKnob], changed: ChangedSettings, asked: TestbedRequest
) -> Iterator[RestoredSetting]:
    """An agent's reports on the settings that it was asked to restore, with their previous values."""
    entries = {one.name: one for one in changed.entries}
    for one in said:
        entry = entries[one.name]
        old, now = places.text_of(entry.old), places.text_of(one.now)
        yield RestoredSetting(
            asked.spec, changed.name, one.name, old, entry.wanted, now, one.outcome, one.why
        )


def _all(journal: Journal, outcome: Outcome, why: str) -> list[RestoredSetting]:
    return [one for node in journal.nodes for one in _of_node(node, journal.asked, outcome, why)]


def _of_node(
    changed: ChangedSettings, asked: TestbedRequest, outcome: Outcome, why: str
) -> Iterator[RestoredSetting]:
    for one in changed.entries:
        old = places.text_of(one.old)
        yield RestoredSetting(asked.spec, changed.name, one.name, old, one.wanted, "", outcome, why)
