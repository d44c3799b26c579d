"""state.json: the state of the coordinator besides samples."""

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
    """State of a site: the `--on` its agent was started with, how far it was fetched, its port and address, when it was
    last reached and last delivered probes, and its last status (None without agent)."""

    on: str = ""
    cursor: WatchCursor = WatchCursor()
    port: int | None = None
    address: str = ""
    heard_s: float | None = None
    delivered_s: float | None = None
    trouble: str = ""
    status: WatchStatus | None = None


class RetiredAgent(Struct, kw_only=True):
    """An agent whose site was removed from sites.toml or moved to another machine."""

    name: str
    state: SiteState


class State(Struct, kw_only=True):
    """The coordinator's state; saved after the samples, so that what is fetched again after a crash is known as
    duplicate."""

    sites: dict[str, SiteState] = field(default_factory=dict)
    leaving: list[RetiredAgent] = field(default_factory=list)
    counts: dict[int, Counts] = field(default_factory=dict)
    pid: int = 0

    def site(self, name: str) -> SiteState:
        """The state of a site, added if new."""
        return self.sites.setdefault(name, SiteState())

    def use(self, on: dict[str, str]) -> None:
        """Update where sites are, by name; agents of sites that moved are leaving."""
        for name, known in list(self.sites.items()):
            if known.on and known.on != on.get(name, ""):
                self.leaving.append(RetiredAgent(name=name, state=self.sites.pop(name)))

    def save(self, folder: Path) -> None:
        """Replace the file; raises OSError."""
        path = folder / STATE_NAME
        temporary = path.with_suffix(".new")
        with fresh_file(temporary) as file:
            file.write(msgspec.json.encode(self))
        temporary.replace(path)


def read_state(folder: Path) -> State:
    """Read the state of a watch; empty if there is none, or it is damaged."""
    try:
        return read_json(folder / STATE_NAME, State)
    except (FileNotFoundError, ContentError):
        return State()
