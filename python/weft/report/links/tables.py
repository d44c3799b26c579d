"""The tables of the page about a watch."""

from __future__ import annotations

from weft.diagnosis.links.recurrence import recurrence_text
from weft.report.links.clock import lasts, when
from weft.report.links.material import LinkMaterial, LinksMaterial
from weft.report.links.verdict import duration_s
from weft.report.table import PageTable
from weft.runs.probes import KINDS


def outages_table(watch: LinksMaterial) -> PageTable:
    """All outages in the order of time."""
    rows = [
        [
            when(one.begin_s),
            lasts(duration_s(watch, one)) + (", goes on" if one.end_s is None else ""),
            f"{one.src} -> {one.dst}" + (f" ({one.network})" if one.network else ""),
            one.cause,
            one.evidence,
            str(one.lost),
        ]
        for one in watch.findings.outages
    ]
    return PageTable(["Begins (UTC)", "Lasts", "Link", "Class", "Evidence", "Lost probes"], rows)


def changes_table(watch: LinksMaterial) -> PageTable:
    """All changes of all links in the order of time."""
    found = [(one, link) for link in watch.links for one in link.findings.changes]
    rows = []
    for one, link in sorted(found, key=lambda pair: pair[0].begin_s):
        end_s = link.findings.end_s if one.end_s is None else one.end_s
        length = lasts(end_s - one.begin_s) + (", goes on" if one.end_s is None else "")
        rows.append(
            [
                when(one.begin_s),
                "" if end_s == one.begin_s else length,
                link.name,
                one.what,
                f"minimum {one.minimum_s * 1e3:+.3f} ms, {one.minimum_noise:+.1f} of its noise; "
                f"jitter x{one.jitter_ratio:.2f}",
            ]
        )
    return PageTable(["Begins (UTC)", "Lasts", "Link", "Class", "Evidence"], rows)


def recurrences_table(watch: LinksMaterial) -> PageTable:
    """What comes back at the same hours, link by link."""
    rows = [
        [f"{one.when} {link.findings.timezone}", link.name, one.what, recurrence_text(one)]
        for link in watch.links
        for one in link.findings.recurrences
    ]
    return PageTable(["When", "Link", "Class", "Evidence"], rows)


def gaps_table(watch: LinksMaterial) -> PageTable:
    """When nothing was measured, in the order of time."""
    gaps = sorted((*gap, link.name) for link in watch.links for gap in link.findings.gaps)
    rows = [[when(begin_s), lasts(end_s - begin_s), name] for begin_s, end_s, name in gaps]
    return PageTable(["Begins (UTC)", "Lasts", "Link"], rows)


def links_table(watch: LinksMaterial) -> PageTable:
    """How each link was probed."""
    heads = ["Link", "Probes", "Answered", "Interval", "Kinds", "Sizes", "From (UTC)", "To (UTC)"]
    return PageTable(heads, [_link_row(link) for link in watch.links])


def _link_row(link: LinkMaterial) -> list[str]:
    series = link.series
    kinds = sorted({int(kind) for kind, _ in series.groups()})
    sizes = sorted({size for _, size in series.groups()})
    return [
        link.name,
        f"{len(series):,}",
        f"{100 * (1 - series.lost.mean()):.3f} %",
        f"{series.interval_s:.3g} s",
        ", ".join(KINDS[kind] for kind in kinds),
        ", ".join(f"{size} B" for size in sizes),
        when(link.findings.begin_s),
        when(link.findings.end_s),
    ]
