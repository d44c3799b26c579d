"""state.json: what the coordinator must not forget besides samples."""

from __future__ import annotations

from pathlib import Path

import msgspec
from msgspec import Struct, field

from weft.base.files.fresh_file import fresh_file
from weft.base.files.text_file import ContentError, read_json
from weft.links.watch.alerts.now import Counts
from weft.measure.testbed.agent.reply import WatchStatus
from weft.measure.testbed.agent.request import WatchCursor

STATE_NAME = "state.json"


class SiteState(Struct, kw_only=True):
    """What is known of a site: `on` what its agent was started, how far it was fetched, its port and address,
    when it was heard and when it last had probes, and what it said last (None: it has no agent)."""

    on: str = ""
    cursor: WatchCursor = WatchCursor()
    port: int | None = None
    address: str = ""
    heard_s: float | None = None
    delivered_s: float | None = None
    trouble: str = ""
    status: WatchStatus | None = None


class Leaving(Struct, kw_only=True):
    """An agent whose site is no longer in sites.toml, or is on another machine there."""

    name: str
    state: SiteState


class State(Struct, kw_only=True):
    """It is written behind samples, so that what is fetched twice is the same."""

    sites: dict[str, SiteState] = field(default_factory=dict)
    leaving: list[Leaving] = field(default_factory=list)
    counts: dict[int, Counts] = field(default_factory=dict)
    pid: int = 0

    def site(self, name: str) -> SiteState:
        """That of a site."""
        return self.sites.setdefault(name, SiteState())

    def use(self, on: dict[str, str]) -> None:
        """Take what sites are on now, by name; agents that are elsewhere leave."""
        for name, known in list(self.sites.items()):
            if known.on and known.on != on.get(name, ""):
                self.leaving.append(Leaving(name=name, state=self.sites.pop(name)))

    def save(self, folder: Path) -> None:
        """Write it in place of the earlier one; raises OSError."""
        path = folder / STATE_NAME
        temporary = path.with_suffix(".new")
        with fresh_file(temporary) as file:
            file.write(msgspec.json.encode(self))
        temporary.replace(path)


def read_state(folder: Path) -> State:
    """The state of a watch, empty where there is none yet."""
    try:
        return read_json(folder / STATE_NAME, State)
    except (FileNotFoundError, ContentError):
        return State()
