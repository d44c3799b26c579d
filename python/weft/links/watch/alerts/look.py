"""An evaluation of the recent probes of a watch: incidents of the last hours, and sites without recent data."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

from weft.links.analysis.causes import Incident, find_incidents
from weft.links.watch.alerts.event import LinkName
from weft.links.watch.alerts.recent import Recent, name_of
from weft.links.watch.store.store import WatchRecord

HEARD_WITHIN_S = 60.0
SILENT_S = 120.0
"""Added to five intervals."""


@dataclass(frozen=True)
class SiteContact:
    """A site with an agent: when it was last fetched, and why not since ("" if it was)."""

    at_s: float | None = None
    trouble: str = ""


@dataclass(frozen=True)
class LinkProgress:
    """Progress of a link: time of the newest probe (the site's clock), when probes last arrived (local clock), and the
    time in which each kind and size is probed once."""

    newest_s: float
    arrived_s: float
    turn_s: float


@dataclass(frozen=True)
class WatchSnapshot:
    """`links` are the active links with probes; `silent` those of which nothing arrives, with the time of their newest
    probe. Evaluations began at `since_s`."""

    now_s: float
    incidents: list[Incident]
    links: dict[LinkName, LinkProgress]
    sites: dict[str, SiteContact]
    silent: dict[LinkName, float | None] = field(default_factory=dict)
    since_s: float = 0.0

    def not_heard(self, names: Collection[str], end_s: float | None) -> list[str]:
        """Those of these sites that have an agent, and whose probes up to `end_s` may not have been fetched yet."""
        needed_s = self.now_s - HEARD_WITHIN_S if end_s is None else end_s
        return sorted(
            name
            for name, heard in self.sites.items()
            if name in names and (heard.trouble or (heard.at_s or 0.0) < needed_s)
        )


def look_at(
    recent: Recent, record: WatchRecord, sites: dict[str, SiteContact], now_s: float
) -> WatchSnapshot:
    """Analyse the recent probes."""
    series = recent.series()
    turns = {(one.src, one.dst, one.network): one for one in series}
    links: dict[LinkName, LinkProgress] = {}
    silent: dict[LinkName, float | None] = {}
    for index in record.active:
        link = record.links[index]
        newest_s, arrived_s = recent.newest_s(index), recent.arrived_s.setdefault(index, now_s)
        interval_s = link.interval_s or 1.0
        if now_s - arrived_s > SILENT_S + 5 * interval_s:
            silent[name_of(link)] = newest_s
        if newest_s is not None:
            probes = turns[link.src, link.dst, link.network]
            groups = len({*zip(probes.kind[-64:], probes.size_bytes[-64:], strict=True)})
            links[name_of(link)] = LinkProgress(newest_s, arrived_s, groups * interval_s)
    return WatchSnapshot(now_s, find_incidents(series), links, sites, silent, recent.since_s)
