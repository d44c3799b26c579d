"""Outages as events: incidents that begin together on links that share a site are one event."""

from __future__ import annotations

from collections import Counter

from weft.links.analysis.causes import Incident
from weft.links.watch.alerts.event import LinkEvent, LinkName, Notice, clock, notice_of, span
from weft.links.watch.alerts.ledger import AlertLedger
from weft.links.watch.alerts.look import LinkProgress, WatchSnapshot

KIND = "outages"
NOT_KNOWN = "not known"
TOGETHER_S = 60.0
"""Incidents that begin within this time of each other, on links that share a site, have one cause."""
LATE_S = 600.0
"""An outage that ended this long before its first probes arrived is past: it opens no event."""
PATIENCE_S = 300.0
"""How long an event that is over waits for sites that have not been fetched, which may change its class."""
_ALONE = ("ICMP filtered", "port filtered", "large packets", "tunnel", "loss")
"""Classes that the source's probes decide alone, whatever other sites report."""


def track(ledger: AlertLedger, look: WatchSnapshot, least_s: float) -> list[Notice]:
    """Notices of outages that begin and end with this evaluation; updates the events in the ledger."""
    found: dict[str, list[Incident]] = {}
    past: list[Incident] = []
    for incident in look.incidents:
        link = _link(incident)
        # An incident without a lost probe is time in which the source did not probe, which `silence` notifies.
        if not incident.lost or link not in look.links or _is_known(ledger, link, incident, look):
            continue
        event = _open_event(ledger, link, incident)
        if event is None and _is_late(incident, look.links[link]):
            past.append(incident)
            continue
        event = event or _new_event(ledger, link, incident)
        found.setdefault(event.id, []).append(incident)
    notices = [
        notice
        for event in ledger.of_kind(KIND)
        for notice in _follow(ledger, event, found.get(event.id, []), look, least_s)
    ]
    notices += _past(past, look)
    for link, seen in look.links.items():
        if not _has_more(look, link.src):
            ledger.seen_s[str(link)] = seen.newest_s
    return notices


def set_clock(ledger: AlertLedger, site: str, by_s: float) -> None:
    """Shift the saved times of a site's links after its clock was set."""
    for one in (*ledger.open, *ledger.ended):
        if one.kind == KIND and one.links and one.links[0].src == site:
            one.begin_s += by_s
            one.seen_s += by_s
            one.end_s = None if one.end_s is None else one.end_s + by_s
    for name in ledger.seen_s:
        if name.startswith(f"{site} > "):
            ledger.seen_s[name] += by_s


def _link(incident: Incident) -> LinkName:
    return LinkName(src=incident.src, dst=incident.dst, network=incident.network)


def _is_known(ledger: AlertLedger, link: LinkName, incident: Incident, look: WatchSnapshot) -> bool:
    """Whether the incident is part of an event that is over, or was there in an earlier evaluation and is no event."""
    turn_s = look.links[link].turn_s
    for event in ledger.ended:
        end_s = event.end_s or event.begin_s
        if event.kind != KIND or incident.end_s is None:
            continue
        is_inside = incident.begin_s <= end_s and incident.end_s <= end_s + 2 * turn_s
        if link in event.links and is_inside and incident.end_s >= event.begin_s:
            return True
        if _is_together(event, link, incident) and abs(incident.end_s - end_s) <= TOGETHER_S:
            event.links.append(link)
            return True
    if _open_event(ledger, link, incident):
        return False
    if _has_more(look, link.src) or incident.end_s is None:
        return _has_more(look, link.src)
    seen_s = ledger.seen_s.get(str(link))
    return seen_s is None or incident.end_s <= seen_s


def _has_more(look: WatchSnapshot, site: str) -> bool:
    """Whether probes of a site are still to be fetched."""
    return bool(site in look.sites and look.sites[site].trouble)


def _open_event(ledger: AlertLedger, link: LinkName, incident: Incident) -> LinkEvent | None:
    """The open event that an incident belongs to; adds its link to the event."""
    for event in ledger.of_kind(KIND):
        if link in event.links:
            if incident.end_s is None or incident.end_s >= event.begin_s:
                return event
        elif _is_together(event, link, incident):
            event.links.append(link)
            return event
    return None


def _is_together(event: LinkEvent, link: LinkName, incident: Incident) -> bool:
    shares = any({link.src, link.dst} & {one.src, one.dst} for one in event.links)
    is_alike = (event.what in _ALONE) == (incident.what in _ALONE)
    return (
        event.kind == KIND
        and shares
        and is_alike
        and abs(incident.begin_s - event.begin_s) <= TOGETHER_S
    )


def _is_late(incident: Incident, seen: LinkProgress) -> bool:
    return incident.end_s is not None and incident.end_s < seen.newest_s - LATE_S


def _new_event(ledger: AlertLedger, link: LinkName, incident: Incident) -> LinkEvent:
    before = [one.end_s or 0.0 for one in ledger.ended if one.kind == KIND and link in one.links]
    begin_s = max(incident.begin_s, *before) if before else incident.begin_s
    name = "-".join(filter(None, (link.src, link.dst, link.network)))
    event = LinkEvent(
        id=f"outage-{name}-{begin_s:.0f}",
        kind=KIND,
        what=incident.what,
        begin_s=begin_s,
        links=[link],
    )
    ledger.open.append(event)
    return event


def _follow(
    ledger: AlertLedger,
    event: LinkEvent,
    incidents: list[Incident],
    look: WatchSnapshot,
    least_s: float,
) -> list[Notice]:
    event.links = [one for one in event.links if one in look.links or one == event.links[0]]
    seen = [look.links[one] for one in event.links if one in look.links]
    if incidents:
        event.lost = sum(one.lost for one in incidents)
        event.seen_s = max((one.newest_s for one in seen), default=event.seen_s)
        if not event.is_told:
            event.begin_s = min([event.begin_s, *(one.begin_s for one in incidents)])
    end_s = _end(event, incidents, seen, look)
    if incidents:
        _classify(event, incidents, look, end_s)
    is_over = end_s is not None and _is_settled(event, end_s, look)
    lasted_s = (end_s or event.seen_s) - event.begin_s
    notices = []
    if not event.is_told and lasted_s >= least_s:
        event.is_told = True
        notices.append(notice_of(event, "begin", look.now_s))
    if is_over:
        event.end_s = end_s
        ledger.close(event)
        if event.is_told:
            notices.append(notice_of(event, "end", look.now_s))
    return notices


def _end(
    event: LinkEvent, incidents: list[Incident], seen: list[LinkProgress], look: WatchSnapshot
) -> float | None:
    """When all its incidents were over; None while one lasts.

    If newer probes show no incident, it is when the event was last seen. An incident on a link without recent data does
    not keep the event open.
    """
    if not incidents:
        is_newer = not seen or max(one.newest_s for one in seen) > event.seen_s
        return event.seen_s or event.begin_s if is_newer else None
    ends = [one.end_s for one in incidents if one.end_s is not None or _is_fresh(one, look)]
    return None if not ends or None in ends else max(end for end in ends if end is not None)


def _is_fresh(incident: Incident, look: WatchSnapshot) -> bool:
    return look.now_s - look.links[_link(incident)].arrived_s <= PATIENCE_S


def _is_settled(event: LinkEvent, end_s: float, look: WatchSnapshot) -> bool:
    """Whether each kind and size was probed since the end, and all data that may change the class are here, or
    `PATIENCE_S` is over."""
    event.over_s = event.over_s or look.now_s
    if look.now_s - event.over_s > PATIENCE_S:
        return True
    seen = [look.links[one] for one in event.links if one in look.links]
    return not event.missing and all(one.newest_s >= end_s + one.turn_s for one in seen)


def _classify(
    event: LinkEvent, incidents: list[Incident], look: WatchSnapshot, end_s: float | None
) -> None:
    """Set the class that most links have, if possible with one site at fault for all of them."""
    if end_s is None:
        event.over_s = None
    ends = {site for one in incidents for site in (one.src, one.dst)}
    event.missing = look.not_heard(ends, end_s)
    votes = Counter(
        _verdict(one)
        for one in incidents
        if one.what in _ALONE or not {one.src, one.dst} & set(event.missing)
    )
    if not votes:
        event.what, event.site = NOT_KNOWN, ""
        event.evidence = f"{' and '.join(event.missing)} cannot be asked"
        return
    (what, event.site, event.evidence), _ = votes.most_common(1)[0]
    whose = "our " if event.site == event.links[0].src else "their "
    event.what = whose + what if event.site else what


def _verdict(incident: Incident) -> tuple[str, str, str]:
    """The class without its end ("their", "our"), the site that it names, and the evidence."""
    what = incident.what.partition(" ")[2] if incident.site else incident.what
    return what, incident.site, incident.evidence


def _past(incidents: list[Incident], look: WatchSnapshot) -> list[Notice]:
    """One notice for all incidents that arrived too late."""
    if not incidents:
        return []
    links = list(dict.fromkeys(map(_link, incidents)))
    down_s = sum((one.end_s or one.begin_s) - one.begin_s for one in incidents)
    first_s = min(one.begin_s for one in incidents)
    last_s = max(one.end_s or one.begin_s for one in incidents)
    count, plural = len(incidents), "s" if len(incidents) > 1 else ""
    text = (
        f"{', '.join(map(str, links))}: in the past, {count} outage{plural} from {clock(first_s)} to {clock(last_s)}, "
        f"{span(down_s)} in sum: probes that arrived late say so"
    )
    event = LinkEvent(
        id=f"past-{first_s:.0f}-{last_s:.0f}",
        kind=KIND,
        what="past",
        begin_s=first_s,
        end_s=last_s,
        links=links,
        evidence=text,
        lost=sum(one.lost for one in incidents),
    )
    return [notice_of(event, "past", look.now_s)]
