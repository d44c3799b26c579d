"""The coordinator of a watch: starts agents at sites, fetches what they keep, and restarts them.

Agents continue without it: what it misses, it fetches when it is back.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import time
from pathlib import Path

import pyarrow as pa

from weft.base.errors import RequestError, WeftError, message_of
from weft.links.watch.alerts.evaluator import AlertEvaluator
from weft.links.watch.alerts.look import SiteContact
from weft.links.watch.alerts.now import Counts
from weft.links.watch.alerts.settings import check_command
from weft.links.watch.notify import notify
from weft.links.watch.sites import SiteEntry, SitesFile, read_sites
from weft.links.watch.start import Places, config_of, place_of, update_record
from weft.links.watch.state import SiteState, read_state
from weft.links.watch.storage import Storage
from weft.links.watch.store.store import HostEvent, StoreError, Writer
from weft.links.watch.tell import Level, Tell, tell_event
from weft.measure.testbed.agent import reply, request
from weft.measure.testbed.agent.agent import Agent, AgentError
from weft.measure.testbed.agent.reply import WatchStatus
from weft.measure.testbed.agent.request import WatchConfig

FETCH_EVERY_S = 10.0
ANSWER_WITHIN_S = 60.0
RETRY_S = (5.0, 10.0, 30.0, 60.0)


class Collector:
    """The coordinator of one folder; `run` until cancelled."""

    def __init__(
        self, writer: Writer, sites: SitesFile, tell: Tell, places: Places, file: Path | None = None
    ) -> None:
        self._writer, self._sites, self._tell, self._file = writer, sites, tell, file
        self._mtime = _mtime(file)
        self._places = places
        self._state = read_state(writer.folder)
        self._state.pid = os.getpid()
        self._storage = Storage(writer, tell)
        self._evaluator = AlertEvaluator(writer.folder, writer.record, sites.alerts, tell)
        self._agents: dict[str, Agent] = {}
        self._sent: dict[str, WatchConfig] = {}
        self._tries: dict[str, int] = {}
        self._next_s: dict[str, float] = {}

    async def run(self, for_s: float | None = None) -> None:
        """Fetch every 10 s, for `for_s` seconds or until cancelled."""
        deadline = time.monotonic() + for_s if for_s is not None else None
        self._state.use({site.name: site.on for site in self._sites.measuring()})
        self._writer.add_event(HostEvent(time_s=time.time(), what="coordinator-start"))
        await self._evaluator.open()
        notify("READY=1")
        # Twice at the start: the second round announces the ports found by the first.
        await self._round()
        while deadline is None or time.monotonic() < deadline:
            self._reload()
            await self._round()
            left = deadline - time.monotonic() if deadline else FETCH_EVERY_S
            await asyncio.sleep(max(0.0, min(FETCH_EVERY_S, left)))

    async def stop(self) -> list[str]:
        """Stop the agents of all sites after fetching all that they kept; returns the sites where that failed."""
        await self._let_go()
        sites = self._sites.measuring()
        stopped = await asyncio.gather(
            *(self._stop(site, self._state.site(site.name)) for site in sites)
        )
        self._storage.save(self._state)
        left = [site.name for site, is_done in zip(sites, stopped, strict=True) if not is_done]
        return left + [one.name for one in self._state.leaving]

    async def close(self) -> None:
        """Disconnect from the sites; their agents continue."""
        await self._evaluator.close()
        self._writer.add_event(HostEvent(time_s=time.time(), what="coordinator-stop"))
        for name in list(self._agents):
            await self._drop(name)
        self._places.close()
        self._storage.save(self._state)

    async def _round(self) -> None:
        await self._let_go()
        sites = self._sites.measuring()
        await asyncio.gather(*(self._visit(site) for site in sites))
        await self._storage.end_round(self._state, self._sites.settings)
        reached = sum(not self._state.site(site.name).trouble for site in sites)
        notify(f"STATUS={reached} of {len(sites)} sites reached, {len(self._sites.links)} links")
        await self._evaluator.look(self._heard(), self._state.counts)

    async def _let_go(self) -> None:
        """Stop the agents of removed sites after fetching all that they kept. Done before others start, one of which
        may be on the same machine."""
        for one in list(self._state.leaving):
            site = SiteEntry(name=f"{one.name} on {one.state.on}", on=one.state.on)
            if time.monotonic() >= self._next_s.get(site.name, 0):
                if await self._stop(site, one.state, one.name):
                    self._state.leaving.remove(one)
                    self._note(site, "site-removed", "its agent has ended")
                else:
                    self._wait(site.name)
                await self._drop(site.name)

    def _heard(self) -> dict[str, SiteContact]:
        states = {site.name: self._state.site(site.name) for site in self._sites.measuring()}
        return {name: SiteContact(one.heard_s, one.trouble) for name, one in states.items()}

    async def _visit(self, site: SiteEntry) -> None:
        if time.monotonic() < self._next_s.get(site.name, 0):
            return
        try:
            async with asyncio.timeout(ANSWER_WITHIN_S):
                await self._fetch(site, await self._ready(site), self._state.site(site.name))
        except StoreError as error:
            self._storage.failed(error)
            return
        except (WeftError, TimeoutError, OSError) as error:
            await self._failed(site, message_of(error) or "it did not answer within a minute")
            return
        state = self._state.site(site.name)
        if state.trouble:
            self._note(site, "reachable", "")
            state.trouble = ""
        self._tries[site.name] = 0

    async def _ready(self, site: SiteEntry) -> Agent:
        """The agent of a site, with its watching process started and configured as of now."""
        name, state = site.name, self._state.site(site.name)
        if name not in self._agents:
            self._agents[name], address = await self._places.agent(site)
            state.address = address or state.address
            state.on = site.on
        agent = self._agents[name]
        ports = {one: known.port for one, known in self._state.sites.items() if known.port}
        addresses = {one: known.address for one, known in self._state.sites.items()}
        config = config_of(name, self._sites, self._writer.record, ports, addresses)
        if self._sent.get(name) != config:
            place = place_of(self._writer.record, name)
            before = state.status if name in self._sent else None
            await agent.send(request.WatchStart(place=place, config=config))
            self._take_status(state, (await agent.expect(reply.WatchState)).status)
            self._sent[name] = config
            if before and state.status and state.status.pid != before.pid:
                self._note_lost(site)
        return agent

    async def _fetch(self, site: SiteEntry, agent: Agent, state: SiteState, name: str = "") -> None:
        """Fetch what an agent keeps; `name` is what its site is called there. Raises StoreError, after which it can be
        fetched again."""
        place = place_of(self._writer.record, name or site.name)
        while True:
            await agent.send(request.WatchDrain(place=place, cursor=state.cursor))
            drained = await agent.expect(reply.DrainReply)
            rows = pa.Table.from_batches([await agent.probes()]) if drained.rows else None
            if rows:
                self._writer.append(rows)
            for event in drained.events:
                self._writer.add_event(event)
            # The agent may delete what is before the cursor: it must be on disk here.
            self._writer.sync()
            self._take(rows, drained.events)
            state.cursor, state.heard_s = drained.cursor, time.time()
            if rows:
                state.delivered_s = state.heard_s
            self._take_status(state, drained.status)
            if not drained.has_more:
                break
        if not drained.is_running and site.name in self._sent:
            del self._sent[site.name]
            self._note_lost(site)

    def _take(self, rows: pa.Table | None, events: list[HostEvent]) -> None:
        """Count stored rows, pass them to the evaluator and report events."""
        for event in events:
            tell_event(self._tell, event)
            self._evaluator.add_event(event)
        if rows is None:
            return
        self._evaluator.add(rows)
        links = rows["link"].to_numpy()
        for link in set(links.tolist()):
            chosen = rows.filter(pa.array(links == link))
            self._state.counts.setdefault(link, Counts()).add(chosen)

    def _note_lost(self, site: SiteEntry) -> None:
        self._note(site, "agent-lost", "the process that watches has ended; it is started again")

    def _take_status(self, state: SiteState, status: WatchStatus | None) -> None:
        state.status = status or state.status
        state.port = status.port if status else state.port

    async def _stop(self, site: SiteEntry, state: SiteState, name: str = "") -> bool:
        try:
            async with asyncio.timeout(ANSWER_WITHIN_S):
                agent = self._agents.get(site.name)
                if agent is None:
                    agent, _ = await self._places.agent(site)
                    self._agents[site.name] = agent
                place = place_of(self._writer.record, name or site.name)
                await agent.send(request.WatchStop(place=place, forget=False))
                await agent.expect(reply.WatchState)
                self._sent.pop(site.name, None)
                await self._fetch(site, agent, state, name)
                await agent.send(request.WatchStop(place=place, forget=True))
                await agent.expect(reply.WatchState)
                # The agent is gone, with nothing left to fetch.
                state.status = None
        except (WeftError, TimeoutError, OSError) as error:
            self._tell(f"{site.name}: cannot be stopped: {message_of(error)}", Level.ERROR)
            return False
        return True

    async def _failed(self, site: SiteEntry, why: str) -> None:
        await self._drop(site.name)
        self._wait(site.name)
        state = self._state.site(site.name)
        if not state.trouble:
            self._note(site, "unreachable", why)
        state.trouble = why

    def _wait(self, name: str) -> None:
        tries = self._tries.get(name, 0)
        self._tries[name] = tries + 1
        self._next_s[name] = time.monotonic() + RETRY_S[min(tries, len(RETRY_S) - 1)]

    async def _drop(self, name: str) -> None:
        self._sent.pop(name, None)
        agent = self._agents.pop(name, None)
        if agent is not None:
            with contextlib.suppress(AgentError, OSError):
                await agent.close()

    def _note(self, site: SiteEntry, what: str, text: str) -> None:
        event = HostEvent(time_s=time.time(), what=what, site=site.name, text=text)
        self._writer.add_event(event)
        self._evaluator.add_event(event)
        tell_event(self._tell, event)

    def _reload(self) -> None:
        """Reload sites.toml if it has changed; an invalid file is reported, and the previous configuration stays in
        force."""
        mtime = _mtime(self._file)
        if self._file is None or mtime == self._mtime:
            return
        self._mtime = mtime
        try:
            sites = read_sites(self._file)
            check_command(sites.alerts)
            for site in sites.measuring():
                self._places.check(site)
        except RequestError as error:
            self._tell(f"{error.message}: the configuration before goes on", Level.ERROR)
            return
        self._sites = sites
        self._evaluator.use(sites.alerts)
        self._state.use({site.name: site.on for site in self._sites.measuring()})
        update_record(self._writer.record, sites)
        try:
            self._writer.save()
        except StoreError as error:
            self._storage.failed(error)
        self._tell(f"{self._file}: taken, {len(sites.links)} links")


def _mtime(file: Path | None) -> int:
    try:
        return file.stat().st_mtime_ns if file else 0
    except OSError:
        return 0
