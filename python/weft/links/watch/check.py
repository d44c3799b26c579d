"""Problems of a watch at present, for an exit code and one line a problem."""

from __future__ import annotations

import time
from pathlib import Path

from msgspec import Struct

from weft.links.watch.alerts.event import NAMES, LinkEvent, clock, span
from weft.links.watch.alerts.ledger import AlertLedger, read_ledger
from weft.links.watch.alerts.now import LinkNumbers, Now, read_now
from weft.links.watch.alerts.recent import name_of
from weft.links.watch.silence import silent_since_s
from weft.links.watch.state import State, read_state
from weft.links.watch.store.store import WatchRecord, read_record
from weft.runs.lock import is_locked

MAX_AGE_S = 300.0


class OpenProblem(Struct, frozen=True, kw_only=True):
    """A present problem: `kind` is that of an open event, or "down", "stale", "disk-full", "undelivered"; `subject` a
    link or a site; `since_s` Unix time, if known."""

    kind: str
    subject: str
    text: str
    since_s: float | None = None


def problems_of(folder: Path, max_age_s: float = MAX_AGE_S) -> list[OpenProblem]:
    """Problems according to data collected within `max_age_s`; raises RequestError if the folder is no watch."""
    record, now_s = read_record(folder), time.time()
    now, ledger, state = read_now(folder), read_ledger(folder), read_state(folder)
    if now is None or now_s - now.time_s > max_age_s:
        return [_stale(folder, now, now_s)]
    events = [one for one in ledger.open if one.is_told]
    found = [_of_event(one) for one in events]
    found += _of_links(now, record, events, now_s - max_age_s)
    found += _of_sites(state, events, record, now_s - max_age_s)
    return found + undelivered(ledger)


def _stale(folder: Path, now: Now | None, now_s: float) -> OpenProblem:
    runs = "the process that collects runs" if is_locked(folder) else "no process collects"
    if now is None:
        return OpenProblem(
            kind="stale", subject=str(folder), text=f"nothing was ever collected here; {runs}"
        )
    age = span(now_s - now.time_s)
    return OpenProblem(
        kind="stale",
        subject=str(folder),
        text=f"nothing was collected for {age}; {runs}",
        since_s=now.time_s,
    )


def _of_event(event: LinkEvent) -> OpenProblem:
    why = f" ({event.evidence})" if event.evidence else ""
    since = f", since {clock(event.begin_s)}"
    return OpenProblem(
        kind=event.kind,
        subject=event.subject,
        text=f"{NAMES[event.kind]}: {event.what}{why}{since}",
        since_s=event.begin_s,
    )


def _of_links(
    now: Now, record: WatchRecord, events: list[LinkEvent], oldest_s: float
) -> list[OpenProblem]:
    """Links that are down or without probes, unless an event covers them."""
    said = {link for one in events for link in one.links}
    silent = {one.site for one in events if one.kind == "not-measured" and not one.links}
    intervals = {name_of(one): one.interval_s or 1.0 for one in record.links}
    return [
        problem
        for one in now.links
        if one.link not in said and one.link.src not in silent
        if (problem := _of_link(one, oldest_s - 5 * intervals.get(one.link, 1.0)))
    ]


def _of_link(numbers: LinkNumbers, oldest_s: float) -> OpenProblem | None:
    link, newest_s = numbers.link, numbers.newest_s
    if newest_s is None or newest_s < oldest_s:
        since = f" since {clock(newest_s)}" if newest_s else ""
        return OpenProblem(
            kind="not-measured", subject=str(link), text=f"no probes{since}", since_s=newest_s
        )
    if numbers.is_up is False:
        return OpenProblem(kind="down", subject=str(link), text="the last three probes were lost")
    return None


def _of_sites(
    state: State, events: list[LinkEvent], record: WatchRecord, oldest_s: float
) -> list[OpenProblem]:
    names = {one.name for one in record.sites if one.on}
    said = {one.site for one in events if one.kind == "not-measured"}
    found = []
    for name, site in state.sites.items():
        if name in names - said and site.trouble and (site.heard_s or 0.0) < oldest_s:
            text = f"cannot be reached: {site.trouble}"
            found.append(
                OpenProblem(kind="not-measured", subject=name, text=text, since_s=site.heard_s)
            )
        if name in names and (since_s := silent_since_s(state, record, name)) is not None:
            text = "its agent runs and delivers no probe"
            found.append(OpenProblem(kind="not-measured", subject=name, text=text, since_s=since_s))
        if name in names and site.status and site.status.is_disk_full:
            text = "the disk is full, it measures into memory"
            found.append(OpenProblem(kind="disk-full", subject=name, text=text))
    return found


def undelivered(ledger: AlertLedger) -> list[OpenProblem]:
    """Notices that a command or webhook did not accept, to be retried or abandoned."""
    found = []
    for by in ("command", "webhook"):
        waiting = [one for one in ledger.outbox if one.by == by and one.error]
        given_up = [one for one in ledger.failed if one.by == by]
        for said, deliveries in (("tried again", waiting), ("given up", given_up)):
            if deliveries:
                text = f"{len(deliveries)} {said}, the last: {deliveries[-1].error}"
                since_s = deliveries[0].since_s
                found.append(
                    OpenProblem(kind="undelivered", subject=by, text=text, since_s=since_s)
                )
    return found
