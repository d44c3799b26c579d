"""The process of a site of a watch without its coordinator: started here or in a namespace, and asked what it kept."""

import asyncio
import contextlib
import dataclasses
import os
import signal
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec
import pyarrow as pa
import pytest

from support.live.waiting import wait_for
from weft.base import binaries
from weft.measure.testbed.agent import reply, request
from weft.measure.testbed.agent.agent import Agent
from weft.measure.testbed.agent.request import WatchConfig, WatchCursor, WatchedLink
from weft.runs.probes import SCHEMA, HostEvent

PORT = 9790


@dataclasses.dataclass
class WatchingSite:
    """A process that watches, in its folder."""

    folder: Path
    process: subprocess.Popen[bytes]

    @property
    def status(self) -> reply.WatchStatus:
        """What it has written last."""
        return msgspec.json.decode(
            (self.folder / "status.json").read_bytes(), type=reply.WatchStatus
        )

    def kept(self) -> tuple[pa.Table, list[HostEvent]]:
        """All probes and events on its disk; an agent takes no folder of another user's."""
        os.chown(self.folder, os.geteuid(), os.getegid())
        return asyncio.run(_fetch(self.folder.name))

    def told_to_write(self) -> tuple[pa.Table, list[HostEvent]]:
        """What it has kept, now that it is told to write; by itself it writes every 10 s."""
        self.process.send_signal(signal.SIGHUP)
        return self.kept()

    def end(self) -> tuple[pa.Table, list[HostEvent]]:
        """End it as a coordinator does, and give what it has kept."""
        self.process.send_signal(signal.SIGTERM)
        assert self.process.wait(20) == 0, (self.folder / "log").read_text()
        return self.kept()


def watched_link(
    peer: str,
    *,
    kinds: Sequence[str] = ("tcp-connect", "udp-echo"),
    sizes: Sequence[int] = (60,),
    interval_ms: int = 100,
    timeout_ms: int = 500,
    link: int = 0,
    port: int = PORT,
) -> WatchedLink:
    """A link whose peer has its responder at the usual port."""
    return WatchedLink(
        link=link,
        peer=peer,
        port=port,
        usual_port=port,
        kinds=tuple(kinds),
        sizes=tuple(sizes),
        interval_ms=interval_ms,
        timeout_ms=timeout_ms,
        turn=(0, 2),
    )


def config(*links: WatchedLink, spool_bytes: int = 1 << 26) -> WatchConfig:
    """What a site is told; all of them have one token."""
    return WatchConfig(
        site="here",
        serial=1,
        token="5a" * 32,
        id=(1,) * 8,
        port=PORT,
        spool_bytes=spool_bytes,
        links=links,
    )


@contextlib.contextmanager
def watching(
    folder: Path, told: WatchConfig, within: Sequence[str] = (), user: int = 0
) -> Iterator[WatchingSite]:
    """A site that has begun; `within` is a command that runs it, such as `ip netns exec NAME`, as a `user`."""
    folder.mkdir(parents=True)
    (folder / "config.json").write_bytes(msgspec.json.encode(told))
    if user:
        # An agent of this user, which fetched before, has closed them to others.
        for above in (folder.parent, folder.parent.parent):
            above.chmod(0o755)
        for path in (folder, folder / "config.json"):
            os.chown(path, user, user)
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(
            [*within, str(binaries.find("weft-probe")), "watch", str(folder)], stderr=log
        )
    site = WatchingSite(folder, process)
    try:
        wait_for(lambda: site.status.pid)
        yield site
    finally:
        process.kill()
        process.wait()


@pytest.fixture
def watch_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where agents look for what sites have kept."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    return tmp_path / "weft" / "watch"


async def _fetch(place: str) -> tuple[pa.Table, list[HostEvent]]:
    agent = await Agent.start("here", [str(binaries.find("weft-probe"))])
    tables, events, cursor = [SCHEMA.empty_table()], [], WatchCursor()
    try:
        while True:
            await agent.send(request.WatchDrain(place=place, cursor=cursor))
            drained = await agent.expect(reply.DrainReply)
            if drained.rows:
                tables.append(pa.Table.from_batches([await agent.probes()]).cast(SCHEMA))
            events += drained.events
            cursor = drained.cursor
            if not drained.has_more:
                return pa.concat_tables(tables), events
    finally:
        await agent.close()


def one(events: list[HostEvent], what: str) -> HostEvent:
    """The only event of a name."""
    found = [event for event in events if event.what == what]
    assert len(found) == 1, events
    return found[0]
