"""Missing measurements as events: sites that cannot be reached, and links without probes."""

from __future__ import annotations

from weft.links.watch.alerts.event import LinkEvent, LinkName, Notice, notice_of
from weft.links.watch.alerts.ledger import AlertLedger
from weft.links.watch.alerts.look import HEARD_WITHIN_S, SILENT_S, WatchSnapshot

KIND = "not-measured"


def track(ledger: AlertLedger, look: WatchSnapshot, least_s: float) -> list[Notice]:
    """Notices of sites that were not fetched for a minute, or for `least_s` if that is longer, and of links without
    probes from sites that were fetched."""
    notices = []
    lost = {
        name: heard
        for name, heard in look.sites.items()
        if heard.trouble and look.now_s - (heard.at_s or 0.0) > max(HEARD_WITHIN_S, least_s)
    }
    for name, heard in lost.items():
        if ledger.find(KIND, site=name) is None:
            begin_s = heard.at_s or look.now_s
            notices += _begin(ledger, look, begin_s, "site unreachable", heard.trouble, site=name)
    silent = {
        link: newest_s
        for link, newest_s in look.silent.items()
        if not look.sites[link.src].trouble and look.now_s - look.since_s > SILENT_S
    }
    for link, newest_s in silent.items():
        if ledger.find(KIND, link) is None:
            why = f"{link.src} is heard, but has no probes of this link"
            begin_s = newest_s or look.now_s
            notices += _begin(ledger, look, begin_s, "no probes", why, link=link)
    return notices + _ended(ledger, look, lost.keys() | silent.keys())


def _begin(
    ledger: AlertLedger,
    look: WatchSnapshot,
    begin_s: float,
    what: str,
    why: str,
    *,
    site: str = "",
    link: LinkName | None = None,
) -> list[Notice]:
    name = "-".join(filter(None, (link.src, link.dst, link.network))) if link else site
    event = LinkEvent(
        id=f"silence-{name}-{begin_s:.0f}",
        kind=KIND,
        what=what,
        begin_s=begin_s,
        site=site,
        links=[link] if link else [],
        evidence=why,
        is_told=True,
    )
    ledger.open.append(event)
    return [notice_of(event, "begin", look.now_s)]


def _ended(ledger: AlertLedger, look: WatchSnapshot, lasting: set[str | LinkName]) -> list[Notice]:
    notices = []
    for event in ledger.of_kind(KIND):
        if (event.links[0] if event.links else event.site) in lasting:
            continue
        heard = look.sites.get(event.links[0].src if event.links else event.site)
        is_unsure = heard is not None and (heard.trouble or not heard.at_s)
        if is_unsure and not (event.links and event.links[0] not in look.silent):
            continue
        event.end_s = max(look.now_s, event.begin_s)
        ledger.close(event)
        notices.append(notice_of(event, "end", look.now_s))
    return notices
