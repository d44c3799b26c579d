"""The state of a site in a time span, from all links: whether it probed, whether it was reached, what its agent
noted."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from weft.links.analysis.series import ProbeSeries

STOPPED = {"stall": "got no processor", "suspend": "was suspended"}
"""Marks of a machine that stood still, which explain that it did not answer."""
STRAINED = {"pressure": "waited for its machine", "steal": "had its processors taken"}
"""Marks that only explain why a site did not probe: a busy machine still answers."""
_HALF = 0.5
"""Of the probes in a span answered, their target counts as alive; of a span covered by a mark, the mark explains it."""
_LOST = ("agent-lost", "unreachable")
_UNHEARD_S = 30.0
"""A site is silent if its data end this much earlier than those of others; before, they may not be fetched yet."""


class SiteLinks:
    """All links of a watch; times are Unix times, an end of None means now."""

    def __init__(self, watched: list[ProbeSeries]) -> None:
        self._watched = watched
        ends = [one.start + float(one.time_s[-1]) for one in watched if len(one)]
        self._now_s = max(ends, default=0.0)

    def find(self, src: str, dst: str, network: str) -> ProbeSeries | None:
        """The link between these ends; None if there is none."""
        key = (src, dst, network)
        return next((s for s in self._watched if (s.src, s.dst, s.network) == key), None)

    def passes(self, series: ProbeSeries | None, begin_s: float, end_s: float | None) -> bool:
        """Whether a link was probed, and at least half of its probes were answered."""
        inside = _inside(series, begin_s, end_s) if series else None
        return bool(inside and len(inside) and inside.answered >= _HALF)

    def has_probed(self, site: str, begin_s: float, end_s: float | None) -> bool:
        """Whether the site is known to have sent a probe after the begin and before the end."""
        last_s = self._now_s if end_s is None else end_s
        for one in self._own(site):
            margin_s = min(2 * one.interval_s, (last_s - begin_s) / 4)
            if len(_inside(one, begin_s + margin_s, last_s - margin_s)):
                return True
        return False

    def is_silent(self, site: str, begin_s: float, end_s: float | None) -> bool:
        """Whether the site has an agent that did not probe; probes not yet fetched do not count as silence."""
        own = self._own(site)
        if not own or self.has_probed(site, begin_s, end_s):
            return False
        last_s = max(one.start + float(one.time_s[-1]) for one in own)
        until_s = self._now_s if end_s is None else end_s
        is_lost = any(begin_s <= at_s <= until_s for at_s, _ in self._marks(site, _LOST))
        return last_s >= until_s or is_lost or self._now_s - last_s > _UNHEARD_S

    def is_cut(self, site: str, link: ProbeSeries, begin_s: float, end_s: float | None) -> bool:
        """Whether no other link of the site passed while links elsewhere did."""
        ends = {link.src, link.dst}
        networks = ("", link.network)
        others = [
            one
            for one in self._watched
            if site in (one.src, one.dst) and {one.src, one.dst} != ends and one.network in networks
        ]
        rest = [one for one in self._watched if site not in (one.src, one.dst)]
        return (
            bool(others)
            and not any(self.passes(one, begin_s, end_s) for one in others)
            and any(self.passes(one, begin_s, end_s) for one in rest)
        )

    def stopped(self, site: str, begin_s: float, end_s: float | None) -> str:
        """Why the site's host stood still in this time, as noted by its agent; "" if it did not."""
        return self._covered(site, STOPPED, begin_s, end_s)

    def strained(self, site: str, begin_s: float, end_s: float | None) -> str:
        """Why the site's host stood still or was too busy to probe, as noted by its agent; "" if neither."""
        return self._covered(site, STOPPED | STRAINED, begin_s, end_s)

    def _covered(
        self, site: str, marks: dict[str, str], begin_s: float, end_s: float | None
    ) -> str:
        until_s = self._now_s if end_s is None else end_s
        for what, said in marks.items():
            spans = set(self._marks(site, (what,)))
            covered_s = sum(max(0.0, min(e, until_s) - max(b, begin_s)) for b, e in spans)
            if covered_s >= _HALF * (until_s - begin_s) and covered_s > 0:
                return f"{site} {said} for {covered_s:.1f} s"
        return ""

    def has_mark(self, site: str, what: str, begin_s: float, end_s: float | None) -> bool:
        """Whether the site's agent, or the coordinator for it, noted this event in this time."""
        until_s = self._now_s if end_s is None else end_s
        return any(b <= until_s and e >= begin_s for b, e in self._marks(site, (what,)))

    def is_one_way(self, link: ProbeSeries, begin_s: float, end_s: float | None) -> bool:
        """Whether the link's source noted that it receives the destination's probes."""
        until_s = self._now_s if end_s is None else end_s
        times = [link.start + one.begin_s for one in link.marks if one.what == "one-way"]
        return any(begin_s <= at_s <= until_s for at_s in times)

    def _own(self, site: str) -> list[ProbeSeries]:
        return [one for one in self._watched if one.src == site and len(one)]

    def _marks(self, site: str, names: tuple[str, ...]) -> Iterator[tuple[float, float]]:
        for series in self._own(site):
            for mark in series.marks:
                if mark.what in names:
                    yield series.start + mark.begin_s, series.start + mark.end_s


def _inside(series: ProbeSeries, begin_s: float, end_s: float | None) -> ProbeSeries:
    """Probes that began in this time."""
    first = int(np.searchsorted(series.time_s, begin_s - series.start))
    last = (
        len(series) if end_s is None else int(np.searchsorted(series.time_s, end_s - series.start))
    )
    return series.at(slice(first, max(first, last)))
