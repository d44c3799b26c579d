"""Present state of a watch: each link up or down, its latency and rate, and today's availability."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
import pyarrow as pa
from msgspec import Struct

from weft.base.errors import RequestError
from weft.links.analysis.outages.availability import availability
from weft.links.analysis.series import ProbeSeries
from weft.links.watch.alerts.event import LinkEvent
from weft.links.watch.alerts.ledger import read_ledger
from weft.links.watch.alerts.now import OneWayTime, first_of_last, one_way
from weft.links.watch.check import OpenProblem, undelivered
from weft.links.watch.silence import silent_since_s
from weft.links.watch.state import SiteState, State, read_state
from weft.links.watch.store.history import series_of
from weft.links.watch.store.store import StoredWatch, WatchRecord, open_watch
from weft.runs.lock import is_locked

LATELY_S = 900.0
IN_A_ROW = 3
"""A link is down after this many successive losses."""


class LinkNow(Struct, kw_only=True):
    """A link: `state` is "up", "down" or "not measured", `since_s` since when (Unix time).

    One way takes `alpha_us` plus the message's bits at `rate_mbps`, from half the medians of the last 15 minutes of
    probes of this `kind` ("" if none was answered). `available` is the share of today's measured time outside of
    outages, as in `weft watch show`, `answered` the share of its probes.
    """

    src: str
    dst: str
    network: str
    state: str
    since_s: float | None
    kind: str
    alpha_us: float | None
    rate_mbps: float | None
    available: float | None
    answered: float | None
    probes: int
    interval_s: float | None
    refused: dict[str, str]


class SiteNow(Struct, kw_only=True):
    """A site: when it was last reached (Unix time), why it cannot be reached, what its agent keeps, and since when its
    agent runs without delivering, if so."""

    name: str
    heard_s: float | None
    trouble: str
    kept_bytes: int
    silent_since_s: float | None
    is_disk_full: bool


class Status(Struct, kw_only=True):
    """A watch; `is_collecting` tells whether a coordinator runs, `has_agents` whether there is anything to fetch from.
    `events` are open ones, `undelivered` are notices that were not accepted."""

    folder: str
    is_collecting: bool
    has_agents: bool
    sites: list[SiteNow]
    links: list[LinkNow]
    events: list[LinkEvent]
    undelivered: list[OpenProblem]


def status_of(folder: Path, now_s: float | None = None) -> Status:
    """The state of a watch according to its folder; raises RequestError if it is no watch, or a replay."""
    now_s = time.time() if now_s is None else now_s
    watched, state = open_watch(folder, since=now_s - now_s % 86400), read_state(folder)
    if watched.record.is_replay:
        raise RequestError(
            f"{folder}: has probes of {watched.record.source}: no agent measures now",
            f"see what they show: weft watch show {folder}",
        )
    ledger = read_ledger(folder)
    return Status(
        folder=str(folder),
        is_collecting=is_locked(folder),
        has_agents=bool(state.leaving) or any(one.status for one in state.sites.values()),
        sites=[_site(name, state, watched.record) for name in sorted(state.sites)],
        links=[_link(watched, link, state.sites, now_s) for link in watched.record.active],
        events=[one for one in ledger.open if one.is_told],
        undelivered=undelivered(ledger),
    )


def _site(name: str, known: State, record: WatchRecord) -> SiteNow:
    state = known.sites[name]
    said = state.status
    return SiteNow(
        name=name,
        heard_s=state.heard_s,
        trouble=state.trouble,
        silent_since_s=silent_since_s(known, record, name),
        kept_bytes=said.spool_bytes if said else 0,
        is_disk_full=bool(said and said.is_disk_full),
    )


def _link(watched: StoredWatch, number: int, sites: dict[str, SiteState], now_s: float) -> LinkNow:
    link, probes = watched.record.links[number], watched.probes(number)
    said = sites[link.src].status if link.src in sites else None
    refused = [one.refused for one in (said.links if said else ()) if one.link == number]
    lately = _lately(probes, now_s)
    state, since_s = _state(probes, now_s, link.interval_s or 1.0)
    rows = probes.num_rows
    return LinkNow(
        src=link.src,
        dst=link.dst,
        network=link.network,
        state=state,
        since_s=since_s,
        kind=lately.kind,
        alpha_us=None if lately.alpha_s is None else lately.alpha_s * 1e6,
        rate_mbps=_rate_mbps(lately.beta_s),
        available=_up(series_of(number, link, probes, watched.events)) if rows else None,
        answered=1 - probes["rtt_ns"].null_count / rows if rows else None,
        probes=rows,
        interval_s=link.interval_s,
        refused=refused[0] if refused else {},
    )


def _up(series: ProbeSeries) -> float | None:
    found = availability(series)
    return found.share.median if found else None


def _state(probes: pa.Table, now_s: float, interval_s: float) -> tuple[str, float | None]:
    """Up, down or not measured, and the time of today's first probe with that state."""
    if not probes.num_rows:
        return "not measured", None
    time_s = probes["time_us"].to_numpy() / 1e6
    if now_s - time_s[-1] > 60 + 3 * interval_s:
        return "not measured", float(time_s[-1])
    lost = probes["rtt_ns"].is_null().to_numpy()
    answered = np.flatnonzero(~lost)
    last = answered[-1] if len(answered) else -1
    if len(lost) - 1 - last >= IN_A_ROW:
        return "down", float(time_s[last + 1])
    return "up", float(time_s[_end_of_outage(lost)])


def _end_of_outage(lost: np.ndarray) -> int:
    """Index of the first answered probe after the last `IN_A_ROW` successive losses; 0 if there are none."""
    rows = np.convolve(lost, np.ones(IN_A_ROW, int))
    ends = np.flatnonzero(rows[: len(lost)] >= IN_A_ROW)
    return int(ends[-1]) + 1 if len(ends) else 0


def _lately(probes: pa.Table, now_s: float) -> OneWayTime:
    time_us = probes["time_us"].to_numpy()
    recent = probes.slice(first_of_last(time_us, LATELY_S))
    recent = recent.filter(pa.array(recent["time_us"].to_numpy() > (now_s - LATELY_S) * 1e6))
    rtt_s = recent["rtt_ns"].to_numpy(zero_copy_only=False).astype(float) / 1e9
    return one_way(recent["kind"].to_numpy(), recent["size_bytes"].to_numpy(), rtt_s)


def _rate_mbps(beta_s: float | None) -> float | None:
    return 8e-6 / beta_s if beta_s and beta_s > 0 else None
