"""Changes of a link as events: congestion begins and ends, a re-route is an instant."""

from __future__ import annotations

from weft.base.quantity import format_us
from weft.links.analysis.levels.changes import LevelShift
from weft.links.watch.alerts.event import LinkEvent, LinkName, Notice, notice_of
from weft.links.watch.alerts.ledger import AlertLedger

KIND = "congestion"
ROUTE = "re-route"
LOOKS = 2
"""Successive evaluations that must agree on a begin or an end: changes at the edge of a series are least certain."""
NEW_S = 86400.0
"""A re-route that is older than this when detected is not notified."""
SETTLED_S = 3600.0
"""A newer re-route may still turn out to be the beginning of congestion; one this close to congestion is part of it."""
_SAME_S = 3 * 3600.0
"""Re-routes of two evaluations within this time are the same one: each evaluation dates it anew."""


def track(
    ledger: AlertLedger, found: dict[LinkName, list[LevelShift]], now_s: float
) -> list[Notice]:
    """Notices of changes that begin and end; `found` has all changes of the links evaluated."""
    notices: list[Notice] = []
    for link, changes in found.items():
        notices += _congestion(ledger, link, changes, now_s)
        notices += _routes(ledger, link, _apart(changes, now_s), now_s)
    return notices


def _congestion(
    ledger: AlertLedger, link: LinkName, changes: list[LevelShift], now_s: float
) -> list[Notice]:
    event = ledger.find(KIND, link)
    lasting = next((one for one in changes if one.what != ROUTE and one.end_s is None), None)
    if event is None and lasting is None:
        return []
    if event is None:
        assert lasting
        event = LinkEvent(
            id=f"congestion-{_name(link)}-{lasting.begin_s:.0f}",
            kind=KIND,
            what=lasting.what,
            begin_s=lasting.begin_s,
            links=[link],
        )
        ledger.open.append(event)
    if lasting:
        event.what, event.evidence, event.seen_s = lasting.what, _evidence(lasting), now_s
    return _told(ledger, event, changes, bool(lasting), now_s)


def _told(
    ledger: AlertLedger, event: LinkEvent, changes: list[LevelShift], lasts: bool, now_s: float
) -> list[Notice]:
    """Notify a begin or end; `looks` counts the successive evaluations that differ from what was last notified."""
    event.looks = event.looks + 1 if lasts != event.is_told else 0
    if not lasts and not event.is_told:
        ledger.open.remove(event)
        return []
    if event.looks < LOOKS:
        return []
    event.looks = 0
    if not event.is_told:
        event.is_told = True
        return [notice_of(event, "begin", now_s)]
    ends = [one.end_s for one in changes if one.end_s and one.end_s > event.begin_s]
    event.end_s = min(max(ends, default=event.seen_s), now_s)
    ledger.close(event)
    return [notice_of(event, "end", now_s)]


def _apart(changes: list[LevelShift], now_s: float) -> list[LevelShift]:
    """Re-routes that are settled and no part of congestion."""
    spans = [(one.begin_s, one.end_s or now_s) for one in changes if one.what != ROUTE]
    return [
        one
        for one in changes
        if one.what == ROUTE and one.begin_s <= now_s - SETTLED_S
        if not any(b - SETTLED_S <= one.begin_s <= e + SETTLED_S for b, e in spans)
    ]


def _routes(
    ledger: AlertLedger, link: LinkName, routes: list[LevelShift], now_s: float
) -> list[Notice]:
    """Notices of re-routes since the previous evaluation; the first evaluation only records those that exist."""
    is_first = str(link) not in ledger.routes_s
    told = [one.begin_s for one in ledger.ended if one.kind == ROUTE and link in one.links]
    ledger.routes_s[str(link)] = now_s
    notices = []
    for change in routes:
        is_same = any(abs(change.begin_s - one) <= _SAME_S for one in told)
        if is_same or change.begin_s < now_s - NEW_S:
            continue
        event = LinkEvent(
            id=f"route-{_name(link)}-{change.begin_s:.0f}",
            kind=ROUTE,
            what=ROUTE,
            begin_s=change.begin_s,
            end_s=change.begin_s,
            links=[link],
            evidence=_evidence(change),
            is_told=not is_first,
        )
        ledger.ended.append(event)
        notices += [] if is_first else [notice_of(event, "once", now_s)]
    return notices


def _evidence(change: LevelShift) -> str:
    sign = "+" if change.minimum_s >= 0 else "-"
    least = f"minimum {sign}{format_us(abs(change.minimum_s) * 1e6)}"
    return f"{least} ({change.minimum_noise:.1f} times its noise), jitter times {change.jitter_ratio:.2f}"


def _name(link: LinkName) -> str:
    return "-".join(filter(None, (link.src, link.dst, link.network)))
