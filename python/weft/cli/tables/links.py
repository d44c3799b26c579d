"""Tables of what happened on links."""

from __future__ import annotations

from datetime import UTC, datetime

from weft.cli.tables.layout import plain_table, titled, wide_terminal
from weft.diagnosis.links.causes import Incident
from weft.diagnosis.links.changes import Change
from weft.diagnosis.links.findings import Findings, LinkFindings
from weft.diagnosis.links.outages import EXPECTED
from weft.diagnosis.links.recurrence import Recurrence, recurrence_text
from weft.interval import Interval
from weft.quantity import number

_ASSUMED = (
    "up: outages are taken to come independently, with about exponential lengths. "
    "alpha and beta: half of a round trip, whichever way is slower."
)
_BY_CHANCE = f"by chance {2 * EXPECTED:g} on each link, if losses in a row have geometric lengths"


def print_findings(found: Findings) -> None:
    """Links, then outages, then what recurs, then changes; times in UTC, hours of the week in the zone of the link."""
    console = wide_terminal()
    if not found.links:
        console.print("no probes")
        return
    values = ("up", "95 %", "measured", "alpha ms", "95 %", "beta ns/B", "95 %", "of")
    links = plain_table("", *values, "probes", "lost")
    for link in found.links:
        counts = link.kind, str(link.probes), str(link.lost)
        links.add_row(link.name, *_up(link), _measured(link), *_times(link), *counts)
    titled(console, "Links", links)
    console.print(_ASSUMED, soft_wrap=True)
    for link in found.links:
        if link.busy_hours:
            console.print(f"busy, {link.name}: {link.busy_hours} {link.timezone}", soft_wrap=True)
        if link.gaps:
            hours = sum(end - begin for begin, end in link.gaps) / 3600
            console.print(f"not measured, {link.name}: {number(hours)} h in {len(link.gaps)} gaps")
    outages = [_outage_row(one) for one in found.outages]
    changes = [_change_row(link, one) for link in found.links for one in link.changes]
    heads = ("begins (UTC)", "lasts", "", "", "")
    titled(console, "Outages", plain_table(*heads, rows=outages) if outages else "none")
    console.print(_BY_CHANCE, soft_wrap=True)
    recurring = [_recurring_row(link, one) for link in found.links for one in link.recurrences]
    if recurring:
        titled(console, "Recurring", plain_table("when", "", "", "", rows=recurring))
    titled(console, "Changes", plain_table(*heads, rows=changes) if changes else "none")


def _up(link: LinkFindings) -> tuple[str, str]:
    if not link.availability:
        return "-", ""
    share = link.availability.share
    if share.low is None or share.high is None:
        at_most = link.availability.outages_per_day_at_most
        return f"{100 * share.median:.3f} %", f"< {number(at_most)} outages/d" if at_most else ""
    return f"{100 * share.median:.3f} %", f"{100 * share.low:.3f} .. {100 * share.high:.3f}"


def _measured(link: LinkFindings) -> str:
    """Of the time from the first probe on."""
    found = link.availability
    if not found:
        return ""
    return f"{_span(found.measured_s)} of {_span(found.elapsed_s)}"


def _times(link: LinkFindings) -> tuple[str, str, str, str]:
    if not link.times:
        return "-", "", "-", ""
    beta = link.times.beta_s
    return (*_interval(link.times.alpha_s, 1e3), *(_interval(beta, 1e9) if beta else ("-", "")))


def _interval(value: Interval, scale: float) -> tuple[str, str]:
    low, high = number(value.low * scale), number(value.high * scale)
    # One part says nothing of how far others are.
    return number(value.median * scale), f"{low} .. {high}" if value.low < value.high else ""


def _outage_row(one: Incident) -> list[str]:
    through = f" ({one.network})" if one.network else ""
    link = f"{one.src} -> {one.dst}{through}"
    return [_when(one.begin_s), _lasts(one.begin_s, one.end_s), link, one.cause, one.evidence]


def _change_row(link: LinkFindings, one: Change) -> list[str]:
    minimum = f"minimum {one.minimum_s * 1e3:+.3f} ms ({one.minimum_noise:+.1f} of its noise)"
    jitter = f", jitter x{one.jitter_ratio:.2f}"
    lasts = "" if one.end_s == one.begin_s else _lasts(one.begin_s, one.end_s)
    return [_when(one.begin_s), lasts, link.name, one.what, minimum + jitter]


def _recurring_row(link: LinkFindings, one: Recurrence) -> list[str]:
    return [f"{one.when} {link.timezone}", link.name, one.what, recurrence_text(one)]


def _when(unix_s: float) -> str:
    return f"{datetime.fromtimestamp(unix_s, UTC):%Y-%m-%d %H:%M:%S}"


def _lasts(begin_s: float, end_s: float | None) -> str:
    return "goes on" if end_s is None else _span(end_s - begin_s)


def _span(length_s: float) -> str:
    seconds = round(length_s)
    for unit, size in (("d", 86400), ("h", 3600), ("min", 60)):
        if seconds >= 2 * size:
            return f"{seconds / size:.1f} {unit}"
    return f"{seconds} s"
