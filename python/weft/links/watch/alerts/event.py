"""An event of a watch, and its notices."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Literal

from msgspec import Struct, field

Phase = Literal["begin", "end", "once", "past"]
"""A re-route is an instant, notified "once"; "past" summarises events that were over long before their probes
arrived."""


class LinkName(Struct, frozen=True, kw_only=True):
    """One direction between two sites in a network; "" is the default one."""

    src: str
    dst: str
    network: str = ""

    def __str__(self) -> str:
        return f"{self.src} > {self.dst}" + (f" ({self.network})" if self.network else "")


class LinkEvent(Struct, kw_only=True):
    """An event on links or at a site, in Unix time; `end_s` is None while it lasts.

    `kind` is one of `settings.KINDS`, `what` the class as far as known, seen from the first link; `site` is the site at
    fault, if known. `missing` are sites whose probes of this time have not been fetched and may change `what`. `seen_s`
    is the latest time at which the event was observed.
    """

    id: str
    kind: str
    what: str
    begin_s: float
    end_s: float | None = None
    links: list[LinkName] = field(default_factory=list)
    site: str = ""
    evidence: str = ""
    lost: int = 0
    missing: list[str] = field(default_factory=list)
    seen_s: float = 0.0
    is_told: bool = False
    over_s: float | None = None
    looks: int = 0

    @property
    def subject(self) -> str:
        """The names of the links, or of the site."""
        if not self.links:
            return self.site
        more = f" and {len(self.links) - 1} more" if len(self.links) > 1 else ""
        return f"{self.links[0]}{more}"


class Notice(Struct, kw_only=True):
    """A message about an event, as passed to the command on standard input and to the webhook as body."""

    id: str
    phase: Phase
    kind: str
    what: str
    site: str
    links: list[LinkName]
    begin_s: float
    end_s: float | None
    seconds: float | None
    evidence: str
    lost: int
    missing: list[str]
    text: str
    time_s: float
    folder: str = ""


def notice_of(event: LinkEvent, phase: Phase, now_s: float) -> Notice:
    """A notice with the present state of the event."""
    return Notice(
        id=event.id,
        phase=phase,
        kind=event.kind,
        what=event.what,
        site=event.site,
        links=list(event.links),
        begin_s=event.begin_s,
        end_s=event.end_s,
        seconds=None if event.end_s is None else event.end_s - event.begin_s,
        evidence=event.evidence,
        lost=event.lost,
        missing=list(event.missing),
        text=_text(event, phase),
        time_s=now_s,
    )


def _text(event: LinkEvent, phase: Phase) -> str:
    """One line for humans."""
    why = f" ({event.evidence})" if event.evidence else ""
    said = f"{event.subject}: {NAMES[event.kind]}: {event.what}{why}"
    if phase == "begin":
        return f"{said}, since {clock(event.begin_s)}"
    if phase == "end" and event.end_s is not None:
        return f"{said}, over after {span(event.end_s - event.begin_s)} at {clock(event.end_s)}"
    return f"{said}, at {clock(event.begin_s)}" if phase == "once" else event.evidence


NAMES = {
    "outages": "outage",
    "congestion": "congestion",
    "re-route": "re-route",
    "not-measured": "not measured",
    "threshold": "threshold",
}
"""Singular name of each kind."""


def clock(unix_s: float) -> str:
    """Such as 2026-11-24 10:05:31 UTC."""
    return datetime.fromtimestamp(unix_s, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")


def span(seconds: float) -> str:
    """Such as 12.5 min."""
    for unit, name in ((86400, "d"), (3600, "h"), (60, "min")):
        if seconds >= unit:
            return f"{seconds / unit:.1f} {name}"
    return f"{seconds:.0f} s"
