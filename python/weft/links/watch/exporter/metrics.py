"""The exported metrics of a watch, from the files that its coordinator writes at each fetch."""

from __future__ import annotations

import time
from collections import Counter
from pathlib import Path

from weft.links.analysis.causes import CLASSES
from weft.links.watch.alerts.event import LinkName
from weft.links.watch.alerts.ledger import AlertLedger, read_ledger
from weft.links.watch.alerts.now import QUANTILES, LinkNumbers, Now, read_now
from weft.links.watch.exporter.text import Family
from weft.links.watch.state import State, read_state
from weft.links.watch.store.store import WatchRecord, read_record
from weft.runs.lock import is_locked

STALE_S = 60.0
"""Older numbers of links are not exported: they may no longer hold."""
CLASSES_OF = {
    "outages": (*CLASSES, "not known"),
    "congestion": ("congestion", "jitter"),
    "not-measured": ("site unreachable", "no probes"),
    "threshold": ("alpha high", "loss high", "availability low"),
}
"""All classes are exported even if no event is open, so that alerting rules have a series to query."""


def families(folder: Path) -> list[Family]:
    """All metrics of a folder at present; raises RequestError if it is no watch."""
    record, now_s = read_record(folder), time.time()
    now, state, ledger = read_now(folder), read_state(folder), read_ledger(folder)
    links = now.links if now and now_s - now.time_s <= STALE_S else []
    return [
        *_collector(folder, now),
        *_links(links),
        *_round_trips(links),
        *_counters(now.links if now else []),
        *_sites(record, state, now_s),
        *_events(ledger),
    ]


def _collector(folder: Path, now: Now | None) -> list[Family]:
    up = Family("weft_collector_up", "gauge", "Whether a process fetches what agents keep.")
    up.add(is_locked(folder))
    fetched = Family(
        "weft_collected_timestamp_seconds", "gauge", "When it fetched last (Unix time).", "seconds"
    )
    fetched.add(now.time_s if now else None)
    return [up, fetched]


def _links(links: list[LinkNumbers]) -> list[Family]:
    up = Family("weft_link_up", "gauge", "0 where the last three probes were lost, else 1.")
    measured = Family("weft_link_measured", "gauge", "Whether probes of the link arrive.")
    alpha = Family(
        "weft_link_alpha_seconds",
        "gauge",
        "One way without payload, of 15 minutes: t(n) = alpha + beta n.",
        "seconds",
    )
    beta = Family("weft_link_beta_seconds_per_byte", "gauge", "One way for each byte, likewise.")
    loss = Family("weft_link_loss_ratio", "gauge", "Lost probes of 15 minutes.", "ratio")
    available = Family(
        "weft_link_available_today_ratio", "gauge", "Answered probes of this day (UTC).", "ratio"
    )
    for one in links:
        labels = _labels(one.link)
        measured.add(one.is_up is not None, **labels)
        up.add(one.is_up, **labels)
        alpha.add(one.alpha_s, **labels)
        beta.add(one.beta_s, **labels)
        loss.add(one.loss, **labels)
        available.add(one.available, **labels)
    return [up, measured, alpha, beta, loss, available]


def _round_trips(links: list[LinkNumbers]) -> list[Family]:
    summary = Family(
        "weft_link_rtt_seconds", "summary", "Round trips of 15 minutes; 0 is the least.", "seconds"
    )
    last = Family(
        "weft_link_rtt_last_seconds", "gauge", "The last one; none where it was lost.", "seconds"
    )
    for one in links:
        for times in one.round_trips:
            labels = _labels(one.link, times.kind, times.size_bytes)
            last.add(times.last_s, **labels)
            for quantile, rtt_s in zip(QUANTILES, times.rtt_s or (), strict=False):
                summary.add(rtt_s, **labels, quantile=repr(quantile))
    return [summary, last]


def _counters(links: list[LinkNumbers]) -> list[Family]:
    sent = Family("weft_link_probes_sent", "counter", "Probes since the watch began.")
    lost = Family("weft_link_probes_lost", "counter", "Of these, those without an answer in time.")
    for one in links:
        for count in one.counts:
            labels = _labels(one.link, count.kind, count.size_bytes)
            sent.add(count.sent, **labels)
            lost.add(count.lost, **labels)
    return [sent, lost]


def _sites(record: WatchRecord, state: State, now_s: float) -> list[Family]:
    reachable = Family("weft_site_reachable", "gauge", "Whether the last fetch reached the site.")
    age = Family(
        "weft_site_heard_age_seconds", "gauge", "Time since a fetch reached it.", "seconds"
    )
    kept = Family("weft_site_kept_bytes", "gauge", "What its agent keeps on its disk.", "bytes")
    full = Family("weft_site_disk_full", "gauge", "Whether its disk takes no more.")
    for name in (one.name for one in record.sites if one.on):
        site = state.site(name)
        reachable.add(site.heard_s is not None and not site.trouble, site=name)
        age.add(now_s - site.heard_s if site.heard_s else None, site=name)
        kept.add(site.status.spool_bytes if site.status else None, site=name)
        full.add(site.status.is_disk_full if site.status else None, site=name)
    return [reachable, age, kept, full]


def _events(ledger: AlertLedger) -> list[Family]:
    is_open = Family("weft_events_open", "gauge", "Events that go on, by kind and class.")
    counts = Counter((one.kind, one.what) for one in ledger.open if one.is_told)
    known = [(kind, what) for kind, classes in CLASSES_OF.items() for what in classes]
    for kind, what in dict.fromkeys([*known, *counts]):
        is_open.add(counts[kind, what], kind=kind, what=what)
    kept = Family("weft_notices_undelivered", "gauge", "Notices that were not delivered.")
    for by in ("command", "webhook"):
        waiting = sum(one.by == by for one in ledger.outbox)
        kept.add(waiting, by=by, state="waiting")
        kept.add(sum(one.by == by for one in ledger.failed), by=by, state="given-up")
    return [is_open, kept]


def _labels(link: LinkName, kind: str = "", size_bytes: int = 0) -> dict[str, str]:
    labels = {"src": link.src, "dst": link.dst, "network": link.network}
    return labels | ({"kind": kind, "size_bytes": str(size_bytes)} if kind else {})
