"""Thresholds as events: one ends when its value has been back in range for five minutes."""

from __future__ import annotations

from collections.abc import Iterator

from weft.base.quantity import format_us
from weft.links.watch.alerts.event import LinkEvent, LinkName, Notice, notice_of
from weft.links.watch.alerts.ledger import AlertLedger
from weft.links.watch.alerts.now import LinkNumbers
from weft.links.watch.alerts.settings import AlertSettings

KIND = "threshold"
BACK_S = 300.0


def track(
    ledger: AlertLedger, links: dict[LinkName, LinkNumbers], settings: AlertSettings, now_s: float
) -> list[Notice]:
    """Notices of values that pass a threshold, and of those that are back in range."""
    beyond = {
        (link, what): said
        for link, numbers in links.items()
        for what, said in _beyond(numbers, settings)
    }
    notices = []
    for (link, what), said in beyond.items():
        event = _find(ledger, link, what)
        if event is None:
            name = "-".join(filter(None, (link.src, link.dst, link.network)))
            event = LinkEvent(
                id=f"threshold-{what.partition(' ')[0]}-{name}-{now_s:.0f}",
                kind=KIND,
                what=what,
                begin_s=now_s,
                links=[link],
                evidence=said,
                is_told=True,
            )
            ledger.open.append(event)
            notices.append(notice_of(event, "begin", now_s))
        event.seen_s, event.evidence = now_s, said
    for event in ledger.of_kind(KIND):
        # Without numbers, the value is not known to be back.
        is_back = event.links[0] in links and now_s - event.seen_s > BACK_S
        if is_back or not _is_set(event.what, settings):
            event.end_s = event.seen_s
            ledger.close(event)
            notices.append(notice_of(event, "end", now_s))
    return notices


def _find(ledger: AlertLedger, link: LinkName, what: str) -> LinkEvent | None:
    return next(
        (one for one in ledger.of_kind(KIND) if link in one.links and one.what == what), None
    )


def _is_set(what: str, settings: AlertSettings) -> bool:
    return getattr(settings, "alpha_s" if what.startswith("alpha") else what.split()[0]) is not None


def _beyond(numbers: LinkNumbers, settings: AlertSettings) -> Iterator[tuple[str, str]]:
    """Each threshold that is passed, with the numbers as text."""
    alpha, loss, available = numbers.alpha_s, numbers.loss, numbers.available
    if settings.alpha_s is not None and alpha is not None and alpha > settings.alpha_s:
        yield "alpha high", f"{format_us(alpha * 1e6)} over {format_us(settings.alpha_s * 1e6)}"
    if settings.loss is not None and loss is not None and loss > settings.loss:
        yield "loss high", f"{100 * loss:.3g} % over {100 * settings.loss:.3g} %, of 15 minutes"
    if (
        settings.availability is not None
        and available is not None
        and available < settings.availability
    ):
        said = f"{100 * available:.3f} % below {100 * settings.availability:.3f} %, today"
        yield "availability low", said
