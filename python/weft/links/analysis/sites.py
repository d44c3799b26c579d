"""What all links together say of a site in a time: whether it probed, whether anything reached it, what its agent
noted."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from weft.links.analysis.series import ProbeSeries

STOPPED = {"stall": "got no processor", "suspend": "was suspended"}
"""Marks of a machine that did nothing, which explains that it answered nothing."""
STRAINED = {"pressure": "waited for its machine", "steal": "had its processors taken"}
"""Marks that explain only that a site probed nothing: a machine that is busy still answers."""
_ALIVE = 0.5
"""Of the probes in a time, so many answered say that what they test was alive."""
_COVERED = 0.5
"""So much of a time a mark must cover to explain it."""
_LOST = ("agent-lost", "unreachable")
_UNHEARD_S = 30.0
"""A site that has said nothing for so much longer than others is silent; before that it may only not be fetched yet."""


class SiteLinks:
    """All links of a watch; times are Unix times, an end of None is now."""

    def __init__(self, watched: list[ProbeSeries]) -> None:
        self._watched = watched
        ends = [one.start + float(one.time_s[-1]) for one in watched if len(one)]
        self._now_s = max(ends, default=0.0)

    def find(self, src: str, dst: str, network: str) -> ProbeSeries | None:
        """The link of these ends."""
        key = (src, dst, network)
        return next((s for s in self._watched if (s.src, s.dst, s.network) == key), None)

    def passes(self, series: ProbeSeries | None, begin_s: float, end_s: float | None) -> bool:
        """Whether at least half of a link's probes were answered, and there were some."""
        inside = _inside(series, begin_s, end_s) if series else None
        return bool(inside and len(inside) and inside.answered >= _ALIVE)

    def has_probed(self, site: str, begin_s: float, end_s: float | None) -> bool:
        """Whether any probe of the site is known that began then, a little behind the begin and before the end."""
        last_s = self._now_s if end_s is None else end_s
        for one in self._own(site):
            margin_s = min(2 * one.interval_s, (last_s - begin_s) / 4)
            if len(_inside(one, begin_s + margin_s, last_s - margin_s)):
                return True
        return False

    def is_silent(self, site: str, begin_s: float, end_s: float | None) -> bool:
        """Whether the site has an agent, which did not probe; what is not fetched yet is no silence."""
        own = self._own(site)
        if not own or self.has_probed(site, begin_s, end_s):
            return False
        last_s = max(one.start + float(one.time_s[-1]) for one in own)
        until_s = self._now_s if end_s is None else end_s
        is_lost = any(begin_s <= at_s <= until_s for at_s, _ in self._marks(site, _LOST))
        return last_s >= until_s or is_lost or self._now_s - last_s > _UNHEARD_S

    def is_cut(self, site: str, link: ProbeSeries, begin_s: float, end_s: float | None) -> bool:
        """Whether no other link of the site passed while links that do not touch it did."""
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
        """How the site's agent says that its host did nothing in the time; "" where it does not."""
        return self._covered(site, STOPPED, begin_s, end_s)

    def strained(self, site: str, begin_s: float, end_s: float | None) -> str:
        """The same where it may only have been busy."""
        return self._covered(site, STOPPED | STRAINED, begin_s, end_s)

    def _covered(
        self, site: str, marks: dict[str, str], begin_s: float, end_s: float | None
    ) -> str:
        until_s = self._now_s if end_s is None else end_s
        for what, said in marks.items():
            spans = set(self._marks(site, (what,)))
            covered_s = sum(max(0.0, min(e, until_s) - max(b, begin_s)) for b, e in spans)
            if covered_s >= _COVERED * (until_s - begin_s) and covered_s > 0:
                return f"{site} {said} for {covered_s:.1f} s"
        return ""

    def has_mark(self, site: str, what: str, begin_s: float, end_s: float | None) -> bool:
        """Whether the site's agent, or the coordinator of it, noted this in the time."""
        until_s = self._now_s if end_s is None else end_s
        return any(b <= until_s and e >= begin_s for b, e in self._marks(site, (what,)))

    def is_one_way(self, link: ProbeSeries, begin_s: float, end_s: float | None) -> bool:
        """Whether the source noted of this link that it hears the destination."""
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
    """Probes that began in the time."""
    first = int(np.searchsorted(series.time_s, begin_s - series.start))
    last = (
        len(series) if end_s is None else int(np.searchsorted(series.time_s, end_s - series.start))
    )
    return series.at(slice(first, max(first, last)))
