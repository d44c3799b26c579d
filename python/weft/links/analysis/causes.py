"""What failed in an outage, concluded from what failed at the same time and what did not."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from weft.links.analysis.outages.periods import Period, find_periods
from weft.links.analysis.series import ProbeSeries, link_name
from weft.links.analysis.sites import SiteLinks
from weft.runs.probes import KINDS

_ICMP = KINDS.index("icmp")
_OF_THE_AGENT = {KINDS.index("tcp-echo"), KINDS.index("udp-echo")}
_SILENT_INTERVALS = 10
"""Times without probes that are shorter than this many intervals are not explained; they are only gaps."""


@dataclass(frozen=True)
class Incident:
    """A period in which a link failed: `what` is one of `CLASSES`, `evidence` is the reason; Unix times.

    `share` is the lost fraction of its probes. `lost` is 0 if nothing was probed because the source itself failed.
    """

    src: str
    dst: str
    network: str
    begin_s: float
    end_s: float | None
    lost: int
    what: str
    evidence: str
    share: float = 1.0

    @property
    def link(self) -> str:
        """Such as "a -> b", with the network unless it is the default one."""
        return link_name(self.src, self.dst, self.network)

    @property
    def site(self) -> str:
        """The end that failed; "" if it is neither."""
        whose = self.what.partition(" ")[0]
        return {"their": self.dst, "our": self.src}.get(whose, "")

    @property
    def cause(self) -> str:
        """What failed, worded alike for all links that are affected, such as "host of b"."""
        return f"{self.what.partition(' ')[2]} of {self.site}" if self.site else self.what


CLASSES = {
    "their host": "the destination's own agent was silent, or nothing reached it while others were reached",
    "our host": "the source's own agent was silent, and nothing reached it",
    "their agent": "the destination answered ICMP or connections, but its agent neither answered nor probed",
    "our agent": "the source's own agent was silent, or had to be started again, and the source was reached",
    "their machine": "the destination had no processor or was suspended, by what its agent says",
    "our machine": "the source had no processor or was suspended, by what its agent says",
    "their carrier": "the destination probed on, but reached nothing and was reached by nothing",
    "our carrier": "the source probed on, but reached nothing and was reached by nothing",
    "path": "both ends were alive, or nothing tells them from the path",
    "one direction": "one end heard the other's probes, but was not heard",
    "ICMP filtered": "TCP or UDP passed",
    "port filtered": "one kind of TCP or UDP probe failed, others passed",
    "tunnel": "the usual network passed",
    "large packets": "small probes of the same kind passed: an MTU black hole",
    "loss": "no outage: for some time many probes were lost, others answered",
}


def find_incidents(
    watched: list[ProbeSeries], periods: list[list[Period]] | None = None
) -> list[Incident]:
    """Find incidents of all links, in order of time: outages with their causes, lasting loss, and times in which a
    source did not probe for a known reason.

    An outage of all kinds and sizes of probe is one incident; an outage of only some of them is an incident of those.
    `periods` has those of each series; they are computed if not given.
    """
    periods = [find_periods(one) for one in watched] if periods is None else periods
    sites = SiteLinks(watched)
    found = [
        _incident(series, period, sites)
        for series, all_ in zip(watched, periods, strict=True)
        for period in all_
    ]
    found += [one for series in watched for one in _silences(series, found, sites)]
    return sorted(found, key=lambda one: (one.begin_s, one.src, one.dst, one.network))


def _incident(series: ProbeSeries, period: Period, sites: SiteLinks) -> Incident:
    what, evidence = _what(series, period, sites)
    return Incident(
        series.src,
        series.dst,
        series.network,
        period.begin_s,
        period.end_s,
        period.lost,
        what,
        evidence,
        period.share,
    )


def _what(series: ProbeSeries, period: Period, sites: SiteLinks) -> tuple[str, str]:
    """The class and evidence: the first explanation that fits, from nearest to the probe to farthest."""
    begin_s, end_s = period.begin_s, period.end_s
    if period.is_loss:
        return "loss", f"{100 * period.share:.0f} % of the probes were lost"
    if period.passed:
        return _some(series, period, sites)
    usual = sites.find(series.src, series.dst, "")
    if series.network and sites.passes(usual, begin_s, end_s):
        return "tunnel", "the usual network passed"
    back = sites.find(series.dst, series.src, series.network)
    for heard in (series, back):
        if heard and sites.is_one_way(heard, begin_s, end_s):
            return "one direction", f"{heard.src} heard {heard.dst}, but was not heard"
        if heard is back and sites.passes(back, begin_s, end_s):
            return "one direction", f"{series.dst} to {series.src} passed"
    return _which_end(series, begin_s, end_s, sites)


def _some(series: ProbeSeries, period: Period, sites: SiteLinks) -> tuple[str, str]:
    """The class and evidence if some kinds or sizes failed and others passed."""
    failed, passed = ({kind for kind, _ in groups} for groups in (period.failed, period.passed))
    if failed & passed:
        size = min(size for _, size in period.failed)
        fitting = max(size for kind, size in period.passed if kind in failed)
        return "large packets", f"{size} B failed, {fitting} B passed"
    begin_s, end_s = period.begin_s, period.end_s
    evidence = f"{_names(failed)} failed, {_names(passed)} passed"
    if failed == {_ICMP}:
        return "ICMP filtered", evidence
    if failed >= _OF_THE_AGENT - {kind for kind in _OF_THE_AGENT if kind not in failed | passed}:
        if stopped := sites.stopped(series.dst, begin_s, end_s):
            return "their machine", stopped
        if sites.is_silent(series.dst, begin_s, end_s):
            return "their agent", f"{evidence}, and {series.dst} did not probe"
    return "port filtered", evidence


def _which_end(
    series: ProbeSeries, begin_s: float, end_s: float | None, sites: SiteLinks
) -> tuple[str, str]:
    for site, whose in ((series.dst, "their"), (series.src, "our")):
        if stopped := sites.stopped(site, begin_s, end_s):
            return f"{whose} machine", stopped
        if sites.has_mark(site, "carrier-down", begin_s, end_s):
            return f"{whose} carrier", f"the interface of {site} had no carrier"
        if sites.is_silent(site, begin_s, end_s):
            return f"{whose} host", f"{site} did not probe"
        if sites.is_cut(site, series, begin_s, end_s):
            if sites.has_probed(site, begin_s, end_s):
                return f"{whose} carrier", f"{site} probed on and reached nothing"
            return f"{whose} host", f"nothing reached {site}"
    return "path", "both ends were alive, or nothing tells"


def _names(kinds: set[int]) -> str:
    return ", ".join(KINDS[kind] for kind in sorted(kinds))


def _silences(series: ProbeSeries, found: list[Incident], sites: SiteLinks) -> Iterator[Incident]:
    """Times without probes that are explained by the site's own agent, or by those that probed the site meanwhile."""
    for first_s, last_s in series.gaps():
        if last_s - first_s < _SILENT_INTERVALS * series.interval_s:
            continue
        begin_s, end_s = series.start + first_s, series.start + last_s
        what, evidence = _why_silent(series, begin_s, end_s, found, sites)
        if what:
            ends = series.src, series.dst, series.network
            yield Incident(*ends, begin_s, end_s, 0, what, evidence, 0.0)


def _why_silent(
    series: ProbeSeries, begin_s: float, end_s: float, found: list[Incident], sites: SiteLinks
) -> tuple[str, str]:
    """The class and evidence; "" if nothing explains it, or the agent was stopped on purpose."""
    site = series.src
    if sites.has_mark(site, "agent-stop", begin_s, end_s):
        return "", ""
    if stopped := sites.strained(site, begin_s, end_s):
        return "our machine", stopped
    meanwhile = {
        one.what
        for one in found
        if one.dst == site and one.begin_s < end_s and (one.end_s is None or one.end_s > begin_s)
    }
    for what in ("host", "agent"):
        if f"their {what}" in meanwhile:
            return f"our {what}", f"{site} did not probe, and others did not reach it"
    if sites.has_mark(site, "agent-start", begin_s, end_s + 2 * series.interval_s):
        return "our agent", f"the agent of {site} was started again"
    return "", ""
