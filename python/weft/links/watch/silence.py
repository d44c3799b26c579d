"""Detects agents that run but deliver nothing."""

from __future__ import annotations

from weft.links.watch.state import State
from weft.links.watch.store.store import WatchRecord

DELIVERS_WITHIN_S = 30.0
"""An agent delivers every 10 s, and is fetched every 10 s."""


def silent_since_s(state: State, record: WatchRecord, site: str) -> float | None:
    """Unix time since when the agent of a site runs and is fetched, but delivers nothing although it has links; None
    otherwise."""
    one = state.sites.get(site)
    links = [record.links[index] for index in record.active]
    intervals_s = [link.interval_s or 1.0 for link in links if link.src == site]
    if one is None or one.status is None or one.heard_s is None or one.trouble or not intervals_s:
        return None
    since_s = max(one.delivered_s or 0.0, one.status.started_s)
    is_silent = one.heard_s - since_s > DELIVERS_WITHIN_S + 3 * min(intervals_s)
    return since_s if is_silent else None
