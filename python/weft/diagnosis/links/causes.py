"""What failed in an outage, by what failed with it and what did not."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from weft.diagnosis.links.outages import Outage, find_outages
from weft.diagnosis.links.series import Series
from weft.runs.probes import KINDS

_ALIVE = 0.5
"""Of the probes in an outage, so many answered say that what they test was alive."""


@dataclass(frozen=True)
class Incident:
    """An outage of a link with what failed: `what` is one of `CLASSES`, `evidence` says why."""

    src: str
    dst: str
    network: str
    begin_s: float
    end_s: float | None
    lost: int
    what: str
    evidence: str


CLASSES = {
    "their host": "the destination's own agent was silent, or nothing reached it while others were reached",
    "our host": "nothing reached or left the source, which probed no more itself",
    "our carrier": "the source probed on, but reached nothing and was reached by nothing",
    "their carrier": "the destination probed on, but reached nothing and was reached by nothing",
    "path": "both ends were alive, or nothing tells them from the path",
    "one direction": "probes the other way passed",
    "ICMP filtered": "TCP or UDP passed",
    "port filtered": "one kind of TCP or UDP probe failed, others passed",
    "tunnel": "the usual network passed",
    "large packets": "small probes of the same kind passed: an MTU black hole",
}


def find_incidents(watched: list[Series]) -> list[Incident]:
    """All outages of all links in the order of time, each with what failed.

    An outage of all kinds and sizes of a link at once is one incident; one of some is an incident of those.
    """
    found = [one for series in watched for one in _of_link(series, watched)]
    return sorted(found, key=lambda one: (one.begin_s, one.src, one.dst, one.network))


def _of_link(series: Series, watched: list[Series]) -> Iterator[Incident]:
    by_group = [
        (kind, size, outage)
        for (kind, size), part in series.groups().items()
        for outage in find_outages(part)
    ]
    for together in _overlapping(by_group):
        begin_s = min(one.begin_s for _, _, one in together)
        ends = [one.end_s for _, _, one in together]
        end_s = None if None in ends else max(end for end in ends if end is not None)
        what, evidence = _what(series, watched, together, begin_s, end_s)
        lost = sum(one.lost for _, _, one in together)
        yield Incident(series.src, series.dst, series.network, begin_s, end_s, lost, what, evidence)


def _overlapping(
    found: list[tuple[int, int, Outage]],
) -> Iterable[list[tuple[int, int, Outage]]]:
    """Outages of kinds and sizes that share time."""
    together: list[tuple[int, int, Outage]] = []
    end_s = -np.inf
    for one in sorted(found, key=lambda part: part[2].begin_s):
        if together and one[2].begin_s >= end_s:
            yield together
            together, end_s = [], -np.inf
        together.append(one)
        end_s = max(end_s, np.inf if one[2].end_s is None else one[2].end_s)
    if together:
        yield together


def _what(
    series: Series,
    watched: list[Series],
    together: list[tuple[int, int, Outage]],
    begin_s: float,
    end_s: float | None,
) -> tuple[str, str]:
    """The first explanation that fits, from what is nearest to the probe to what is farthest."""
    inside = _inside(series, begin_s, end_s)
    kinds = sorted({kind for kind, _, _ in together})
    alive = [kind for kind in np.unique(inside.kind) if kind not in kinds and _lives(inside, kind)]
    if alive:
        passed = ", ".join(KINDS[kind] for kind in alive)
        return ("ICMP filtered" if kinds == [0] else "port filtered"), f"{passed} passed"
    sizes = sorted({size for _, size, _ in together})
    small = inside.where(~np.isin(inside.size_bytes, sizes) & (inside.size_bytes < sizes[0]))
    if _passes(small):
        return "large packets", f"{sizes[0]} B failed, {int(small.size_bytes.max())} B passed"
    usual = _find(watched, series.src, series.dst, "")
    if series.network and usual and _passes(_inside(usual, begin_s, end_s)):
        return "tunnel", "the usual network passed"
    back = _find(watched, series.dst, series.src, series.network)
    if back and _passes(_inside(back, begin_s, end_s)):
        return "one direction", f"{series.dst} to {series.src} passed"
    return _which_end(series, watched, begin_s, end_s)


def _which_end(
    series: Series, watched: list[Series], begin_s: float, end_s: float | None
) -> tuple[str, str]:
    for site, whose in ((series.dst, "their"), (series.src, "our")):
        own = [one for one in watched if one.src == site]
        others = [
            one
            for one in watched
            if site in (one.src, one.dst) and {one.src, one.dst} != {series.src, series.dst}
        ]
        has_probed = any(len(_inside(one, begin_s, end_s)) for one in own)
        if own and not has_probed:
            return f"{whose} host", f"{site} did not probe"
        is_cut = others and not any(_passes(_inside(one, begin_s, end_s)) for one in others)
        if is_cut and _others_live(watched, site, begin_s, end_s):
            if own:
                return f"{whose} carrier", f"{site} probed on and reached nothing"
            return f"{whose} host", f"nothing reached {site}"
    return "path", "both ends were alive, or nothing tells"


def _others_live(watched: list[Series], site: str, begin_s: float, end_s: float | None) -> bool:
    """Whether links that do not touch the site passed: without any, nothing tells one end from the other."""
    rest = [one for one in watched if site not in (one.src, one.dst)]
    return any(_passes(_inside(one, begin_s, end_s)) for one in rest)


def _find(watched: list[Series], src: str, dst: str, network: str) -> Series | None:
    return next((s for s in watched if (s.src, s.dst, s.network) == (src, dst, network)), None)


def _inside(series: Series, begin_s: float, end_s: float | None) -> Series:
    """Probes of the outage; the first and the last interval may hold those before and behind it."""
    first = np.searchsorted(series.time_s, begin_s - series.start)
    last = len(series) if end_s is None else np.searchsorted(series.time_s, end_s - series.start)
    chosen = np.zeros(len(series), bool)
    chosen[first:last] = True
    return series.where(chosen)


def _lives(series: Series, kind: int) -> bool:
    return _passes(series.where(series.kind == kind))


def _passes(series: Series) -> bool:
    return len(series) > 0 and float(np.mean(~series.lost)) >= _ALIVE
