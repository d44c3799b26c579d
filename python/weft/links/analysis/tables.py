"""Events on links as tables. Times are in UTC, hours of the week in the link's zone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from weft.base.interval import Interval
from weft.base.quantity import number
from weft.base.table import ResultColumn, ResultTable, Value
from weft.links.analysis.causes import Incident
from weft.links.analysis.clock import lasts, when
from weft.links.analysis.findings import LinkFindings, WatchFindings
from weft.links.analysis.levels.changes import LevelShift
from weft.links.analysis.levels.recurrence import Recurrence
from weft.links.analysis.outages.outages import EXPECTED
from weft.links.analysis.series import ProbeSeries
from weft.runs.probes import KINDS

_ASSUMED = (
    "up: outages are taken to come independently, with about exponential lengths. "
    "alpha and beta: half of a round trip, whichever way is slower."
)
_BY_CHANCE = f"by chance {2 * EXPECTED:g} on each link, if losses in a row have geometric lengths"

_BEGINS = ResultColumn("begins", "begins (UTC)", str)
_LINK = ResultColumn("link", "link", str)
_CLASS = ResultColumn("what", "class", str)
_EVIDENCE = ResultColumn("evidence", "evidence", str)
_JITTER = ResultColumn("jitter_ratio", "jitter, times", spec=".2f")
_SPAN = (
    ResultColumn("begin_unix_s", "begin, since 1970", shown="data"),
    ResultColumn("end_unix_s", "end, since 1970", shown="data"),
    _BEGINS,
    ResultColumn("lasts", "lasts", str),
    _LINK,
)
_OUTAGES = (*_SPAN, _CLASS, _EVIDENCE, ResultColumn("lost", "lost probes", int, shown="page"))
_CHANGES = (
    *_SPAN,
    _CLASS,
    ResultColumn("minimum_ms", "minimum", spec="+.3f"),
    ResultColumn("minimum_noise", "of its noise", spec="+.1f"),
    _JITTER,
)
_RECURRENCES = (
    ResultColumn("when", "when", str),
    _LINK,
    _CLASS,
    ResultColumn("minimum_ms", "minimum higher by", Interval, spec=".3f"),
    _JITTER,
    ResultColumn("seen", "days with it", int),
    ResultColumn("days", "of days", int),
)
_LINKS = (
    _LINK,
    ResultColumn("up_share", "up", Interval, spec=".3f"),
    ResultColumn("most_outages_per_day", "outages a day, at most"),
    ResultColumn("measured", "measured", str),
    ResultColumn("alpha_ms", "alpha", Interval),
    ResultColumn("beta_ns_per_byte", "beta, ns/B", Interval),
    ResultColumn("kind", "by", str),
    ResultColumn("probes", "probes", int),
    ResultColumn("lost", "lost", int),
)
_PROBED = (
    _LINK,
    ResultColumn("answered_share", "answered", spec=".3f"),
    ResultColumn("interval_s", "interval"),
    ResultColumn("kinds", "kinds", str),
    ResultColumn("sizes", "sizes", str),
    ResultColumn("begins", "from (UTC)", str),
    ResultColumn("ends", "to (UTC)", str),
)
_TABLES = (
    ("links", "Links", _LINKS),
    ("probes", "How each link was probed", _PROBED),
    ("outages", "Outages", _OUTAGES),
    ("recurring", "Recurring", _RECURRENCES),
    ("changes", "Changes", _CHANGES),
    ("gaps", "Not measured", _SPAN),
)


def tables_of(found: WatchFindings, watched: Sequence[ProbeSeries]) -> dict[str, ResultTable]:
    """Links in their order, then their events in order of time."""
    links, probed = found.links, [one for one in watched if len(one)]
    changes = [(link, one) for link in links for one in link.changes]
    changes.sort(key=lambda pair: pair[1].begin_s)
    gaps = sorted((*gap, link.name) for link in links for gap in link.gaps)
    rows: dict[str, list[list[Value]]] = {
        "links": [_link_row(link) for link in links],
        "probes": [_probed_row(*pair) for pair in zip(links, probed, strict=True)],
        "outages": [_outage_row(one, found.end_s(one)) for one in found.outages],
        "recurring": [_recurring_row(link, one) for link in links for one in link.recurrences],
        "changes": [_change_row(*pair) for pair in changes],
        "gaps": [_span(begin_s, end_s, end_s, name) for begin_s, end_s, name in gaps],
    }
    remarks = {"links": [_ASSUMED, *_of_each(links)], "outages": [_BY_CHANCE]}
    return {
        name: ResultTable(title, columns, rows[name], remarks=remarks.get(name, ()))
        for name, title, columns in _TABLES
    }


def _of_each(links: Sequence[LinkFindings]) -> Iterator[str]:
    for link in links:
        if link.busy_hours:
            yield f"busy, {link.name}: {link.busy_hours} {link.timezone}"
        if link.gaps:
            hours = sum(end - begin for begin, end in link.gaps) / 3600
            gaps = f"{len(link.gaps)} gap{'s' * (len(link.gaps) > 1)}"
            yield f"not measured, {link.name}: {number(hours)} h in {gaps}"


def _span(begin_s: float, end_s: float | None, until_s: float, link: str) -> list[Value]:
    """Columns of a span: one without end lasts until `until_s`; an instant has no length."""
    length = lasts(until_s - begin_s) if until_s > begin_s else ""
    goes_on = ", goes on" * (end_s is None)
    return [begin_s, end_s, when(begin_s), f"{length}{goes_on}", link]


def _outage_row(one: Incident, until_s: float) -> list[Value]:
    span = _span(one.begin_s, one.end_s, until_s, one.link)
    return [*span, one.cause, one.evidence, one.lost]


def _recurring_row(link: LinkFindings, one: Recurrence) -> list[Value]:
    minimum_ms, when = one.minimum_s.scaled(1e3), f"{one.when} {link.timezone}"
    return [when, link.name, one.what, minimum_ms, one.jitter_ratio, one.seen, one.days]


def _change_row(link: LinkFindings, one: LevelShift) -> list[Value]:
    until_s = link.end_s if one.end_s is None else one.end_s
    span = _span(one.begin_s, one.end_s, until_s, link.name)
    return [*span, one.what, 1e3 * one.minimum_s, one.minimum_noise, one.jitter_ratio]


def _link_row(link: LinkFindings) -> list[Value]:
    up, times = link.availability, link.times
    beta_s = times.beta_s if times else None
    return [
        link.name,
        up.share.known if up else None,
        up.outages_per_day_at_most if up else None,
        f"{lasts(up.measured_s)} of {lasts(up.elapsed_s)}" if up else "",
        times.alpha_s.scaled(1e3) if times else None,
        beta_s.scaled(1e9) if beta_s else None,
        link.kind,
        link.probes,
        link.lost,
    ]


def _probed_row(link: LinkFindings, series: ProbeSeries) -> list[Value]:
    groups = list(series.groups())
    return [
        link.name,
        series.answered,
        series.interval_s,
        ", ".join(KINDS[kind] for kind in sorted({int(kind) for kind, _ in groups})),
        ", ".join(f"{size} B" for size in sorted({size for _, size in groups})),
        when(link.begin_s),
        when(link.end_s),
    ]
