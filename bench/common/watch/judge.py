"""What was found beside what was planted: class, delay, ends, and finds that nothing explains."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from common.watch.events import CHANGES, OUTAGES, LinkKey, Planted
from common.watch.lab import Seen
from weft.links.analysis.causes import Incident, find_incidents
from weft.links.analysis.levels.changes import LevelShift, find_changes
from weft.links.analysis.outages.periods import find_periods
from weft.links.analysis.quarters import quarters
from weft.links.analysis.series import ProbeSeries
from weft.runs.probes import KINDS

PART_S = 10.0
"""Changes are looked for in parts of this length instead of quarters of an hour: a week in half an hour."""
BEFORE_S = 12.0
"""What an agent measured since its last flush goes with it, so a silence begins up to so much earlier."""
BEHIND_S = 6.0
CHANGE_WITHIN_S = 25.0
_NOT_CONNECT = (KINDS.index("tcp-echo"), KINDS.index("udp-echo"))
FAILS: dict[str, Callable[[ProbeSeries], np.ndarray]] = {
    "ICMP filtered": lambda s: s.kind == KINDS.index("icmp"),
    "TCP filtered": lambda s: (s.kind == KINDS.index("tcp-connect")) | (s.kind == 2),
    "UDP filtered": lambda s: s.kind == KINDS.index("udp-echo"),
    "large packets": lambda s: s.size_bytes > 1400,
    "machine": lambda s: np.isin(s.kind, _NOT_CONNECT),
}
"""The probes that a fault hits; all where it is not here."""


@dataclass(frozen=True)
class Verdict:
    """Of one fault: `found` is the class, "" for not found. Delay and lateness of the end are in probes that the fault
    hits, None where it is no outage; `live_s` until the folder said so."""

    planted: Planted
    found: str
    delay: int | None
    late_end: int | None
    live_s: float | None

    @property
    def is_right(self) -> bool:
        return self.found == self.planted.expects


def judge(
    planted: list[Planted], watched: list[ProbeSeries], seen: Seen
) -> tuple[list[Verdict], list[str], tuple[int, int]]:
    """Verdicts, finds that nothing explains, and of how many links beside the judged ones the class was right."""
    incidents = find_incidents(watched)
    by_link = {(s.src, s.dst, s.network): s for s in watched}
    changes = {
        link: find_changes(quarters(s, PART_S))
        for link, s in by_link.items()
        if link[0] in ("n5", "n6")
    }
    verdicts = [_verdict(one, by_link, incidents, changes, seen) for one in planted]
    stray = [_said(one) for one in incidents if not any(_explains(p, one) for p in planted)]
    rest = [
        _class_of(one, link, incidents) == what
        for one in planted
        if one.kind in OUTAGES
        for link, what in one.expected
        if link != one.judged
    ]
    return verdicts, stray, (sum(rest), len(rest))


def _verdict(
    one: Planted,
    by_link: dict[LinkKey, ProbeSeries],
    incidents: list[Incident],
    changes: dict[LinkKey, list[LevelShift]],
    seen: Seen,
) -> Verdict:
    if one.kind in CHANGES:
        return Verdict(one, _change(one, changes[one.judged]), None, None, None)
    found = _class_of(one, one.judged, incidents)
    shown = _best(one, one.shown, incidents)
    live_s = _live(shown, seen, one) if shown else None
    if one.kind not in OUTAGES or not shown:
        return Verdict(one, found, None, None, live_s)
    series = by_link[one.shown]
    return Verdict(one, found, _delay(one, series), _late_end(one, shown, series), live_s)


def _best(one: Planted, link: LinkKey, incidents: list[Incident]) -> Incident | None:
    """The incident of a link that shares most time with the fault."""
    mine = [i for i in incidents if (i.src, i.dst, i.network) == link and _shared_s(one, i) > 0]
    return max(mine, key=lambda i: _shared_s(one, i), default=None)


def _class_of(one: Planted, link: LinkKey, incidents: list[Incident]) -> str:
    best = _best(one, link, incidents)
    return best.what if best else ""


def _shared_s(one: Planted, incident: Incident) -> float:
    end_s = np.inf if incident.end_s is None else incident.end_s
    return float(min(one.end_s, end_s) - max(one.begin_s, incident.begin_s))


def _live(incident: Incident, seen: Seen, one: Planted) -> float | None:
    """From the fault's begin until the folder said so."""
    link = (incident.src, incident.dst, incident.network)
    end_s = np.inf if incident.end_s is None else incident.end_s
    times = [
        at_s
        for (key, begin_s), at_s in seen.items()
        if key == link and one.begin_s - 1 <= begin_s <= end_s
    ]
    return min(times) - one.begin_s if times else None


def _hit(one: Planted, series: ProbeSeries) -> np.ndarray:
    return FAILS[one.kind](series) if one.kind in FAILS else np.ones(len(series), bool)


def _delay(one: Planted, series: ProbeSeries) -> int | None:
    """Probes that the fault hit, until one of them made an outage of it."""
    hit, at_s = _hit(one, series), series.start + series.time_s
    begin = int(np.searchsorted(at_s, one.begin_s))
    for last in range(begin, int(np.searchsorted(at_s, one.end_s + BEHIND_S))):
        periods = find_periods(series.at(slice(0, last + 1)))
        if any(p.end_s is None or p.end_s > one.begin_s for p in periods[-2:]):
            return int(hit[begin : last + 1].sum())
    return None


def _late_end(one: Planted, incident: Incident, series: ProbeSeries) -> int:
    """Probes that the fault hits between its end and the found one, the one that was answered included; negative where
    the found one is before."""
    hit, at_s = _hit(one, series), series.start + series.time_s
    if one.kills:
        # The host is back before its agent is.
        hit = series.kind == KINDS.index("icmp")
    end_s = np.inf if incident.end_s is None else incident.end_s
    first, last = sorted((one.end_s, end_s))
    count = int((hit & (at_s > first) & (at_s <= last)).sum())
    return count if end_s > one.end_s else -count


def _change(one: Planted, changes: list[LevelShift]) -> str:
    for change in changes:
        end_s = np.inf if change.end_s is None else change.end_s
        at = [change.begin_s] if change.what == "re-route" else [change.begin_s, end_s]
        near = [min(abs(t - one.begin_s), abs(t - one.end_s)) <= CHANGE_WITHIN_S for t in at]
        if all(near):
            return change.what
    return ""


def _explains(one: Planted, incident: Incident) -> bool:
    link = (incident.src, incident.dst, incident.network)
    end_s = np.inf if incident.end_s is None else incident.end_s
    until_s = max(one.end_s, one.back_s) + BEHIND_S
    is_hit = link in dict(one.expected) or (one.kills or one.stopped or "none") in link
    return is_hit and incident.begin_s < until_s and end_s > one.begin_s - BEFORE_S


def _said(one: Incident) -> str:
    lasts_s = (one.end_s or np.inf) - one.begin_s
    return f"{one.src} > {one.dst} {one.network} at {one.begin_s:.1f} for {lasts_s:.1f} s: {one.what}, {one.evidence}"
