"""State of events across restarts: alerts.json, replaced atomically, and alerts.jsonl, a log of all notices."""

from __future__ import annotations

import os
from collections.abc import Sequence
from io import BufferedWriter
from pathlib import Path

import msgspec
from msgspec import Struct, field

from weft.base.files.fresh_file import appended_file, fresh_file
from weft.base.files.text_file import ContentError, parse_json, read_bytes, read_json
from weft.links.watch.alerts.event import LinkEvent, LinkName, Notice

FILE_NAME = "alerts.json"
LOG_NAME = "alerts.jsonl"
MOST_FAILED = 100
_KEEP_ENDED_S = 2 * 86400.0


class PendingNotice(Struct, kw_only=True):
    """A notice to deliver by "command" or "webhook"; `next_s` is the time of the next attempt (Unix time)."""

    by: str
    notice: Notice
    tries: int = 0
    next_s: float = 0.0
    since_s: float = 0.0
    error: str = ""


class AlertLedger(Struct, kw_only=True):
    """`seen_s` is, by link, the time up to which outages were searched for, `routes_s` likewise for re-routes; `failed`
    are deliveries that were abandoned."""

    open: list[LinkEvent] = field(default_factory=list)
    ended: list[LinkEvent] = field(default_factory=list)
    seen_s: dict[str, float] = field(default_factory=dict)
    routes_s: dict[str, float] = field(default_factory=dict)
    outbox: list[PendingNotice] = field(default_factory=list)
    failed: list[PendingNotice] = field(default_factory=list)

    def of_kind(self, kind: str) -> list[LinkEvent]:
        """Open events of a kind."""
        return [one for one in self.open if one.kind == kind]

    def find(self, kind: str, link: LinkName | None = None, site: str = "") -> LinkEvent | None:
        """The open event of a kind on a link, or at a site."""
        return next(
            (
                one
                for one in self.of_kind(kind)
                if (link in one.links if link else not one.links and one.site == site)
            ),
            None,
        )

    def close(self, event: LinkEvent) -> None:
        """Move an event to those that ended."""
        self.open.remove(event)
        self.ended.append(event)

    def give_up(self, delivery: PendingNotice) -> None:
        """Move a delivery to those that failed."""
        self.outbox.remove(delivery)
        self.failed = [*self.failed, delivery][-MOST_FAILED:]

    def forget(self, now_s: float) -> None:
        """Drop events that ended before any window."""
        self.ended = [one for one in self.ended if (one.end_s or 0) > now_s - _KEEP_ENDED_S]


def read_ledger(folder: Path) -> AlertLedger:
    """Read the ledger of a watch; empty if there is none, or it is damaged."""
    try:
        return read_json(folder / FILE_NAME, AlertLedger)
    except (FileNotFoundError, ContentError):
        return AlertLedger()


def save_ledger(folder: Path, ledger: AlertLedger) -> None:
    """Replace the file and sync it to disk."""
    path = folder / FILE_NAME
    temporary = path.with_suffix(".new")
    with fresh_file(temporary) as file:
        file.write(msgspec.json.encode(ledger))
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)


def log_notices(folder: Path, notices: Sequence[Notice]) -> None:
    """Append notices to the log. A crash before the ledger is saved leads to duplicates, which readers drop."""
    if not notices:
        return
    with BufferedWriter(appended_file(folder / LOG_NAME)) as file:
        file.writelines(msgspec.json.encode(one) + b"\n" for one in notices)


def read_notices(folder: Path) -> list[Notice]:
    """All notices in order, without duplicates; a truncated line is skipped."""
    try:
        lines = read_bytes(folder / LOG_NAME).splitlines()
    except FileNotFoundError:
        return []
    found: dict[tuple[str, str], Notice] = {}
    for line in lines:
        try:
            notice = parse_json(line, Notice, LOG_NAME)
        except ContentError:
            continue
        found.setdefault((notice.id, notice.phase), notice)
    return list(found.values())
