"""The findings of a watch in words."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from weft.base.interval import Interval
from weft.base.quantity import range_us, significant
from weft.links.analysis.causes import Incident
from weft.links.analysis.clock import lasts, when
from weft.links.analysis.outages.availability import Availability
from weft.links.report.material import LinkMaterial, LinksMaterial


def sentences(watch: LinksMaterial) -> Iterator[str]:
    """The first paragraph: the period, outages and their causes, busy hours, changes."""
    begin_s = min(link.findings.begin_s for link in watch.links)
    end_s = max(link.findings.end_s for link in watch.links)
    count = len(watch.links)
    yield (
        f"{count} link{'s' if count > 1 else ''} over {lasts(end_s - begin_s)}, "
        f"from {when(begin_s)} to {when(end_s)} UTC."
    )
    yield _down(watch)
    busy = [
        f"{link.name} {link.findings.busy_hours} {link.findings.timezone}"
        for link in watch.links
        if link.findings.busy
    ]
    days = (end_s - begin_s) / 86400
    if busy:
        yield f"Busy hours: {'; '.join(busy)}."
    elif days >= 5:
        yield "No hour is busy."
    else:
        yield "Busy hours take five days to be known."
    recurring = [
        f"{link.name} {one.when} {link.findings.timezone} {1e3 * one.minimum_s.median:+.3g} ms"
        for link in watch.links
        for one in link.findings.recurrences
    ]
    if recurring:
        yield f"Recurring: {'; '.join(recurring)}."
    changes = [one.what for link in watch.links for one in link.findings.changes]
    kinds = [f"{changes.count(what)} x {what}" for what in dict.fromkeys(changes)]
    yield f"Changes: {', '.join(kinds)}." if kinds else "No change was found."


def _down(watch: LinksMaterial) -> str:
    down = [
        f"{link.name} for {lasts(found.down_s)} of {lasts(found.measured_s)}"
        for link in watch.links
        if (found := link.findings.availability) and found.down_s > 0
    ]
    outages = watch.findings.outages
    if not outages:
        return "No link was down."
    said = f"Down: {', '.join(down)}." if down else "Some kinds or sizes of probes failed only."
    return f"{said} {main_cause(watch)}"


def main_cause(watch: LinksMaterial) -> str:
    """The cause of most downtime."""
    totals: defaultdict[str, float] = defaultdict(float)
    counts: defaultdict[str, int] = defaultdict(int)
    for one in watch.findings.outages:
        totals[one.cause] += watch.findings.end_s(one) - one.begin_s
        counts[one.cause] += 1
    what = max(totals, key=lambda one: totals[one])
    all_s = sum(totals.values())
    times = f"{counts[what]} outage{'s' if counts[what] > 1 else ''}"
    share = f"{100 * totals[what] / all_s:.0f} % of the time down" if all_s else "no time"
    return f"The main cause is “{what}”: {times}, {share}."


def link_sentence(link: LinkMaterial, outages: Sequence[Incident]) -> str:
    """Availability, alpha and rate of one link."""
    found = link.findings
    parts = []
    if found.availability:
        parts.append(_up(found.availability))
    count = len(outages)
    parts.append(f"{count or 'no'} outage{'' if count == 1 else 's'}")
    if not found.times:
        return ", ".join(parts) + "; too few answers for alpha."
    alpha = range_us(found.times.alpha_s.scaled(1e6))
    rate = found.times.beta_s
    if rate is None or rate.low <= 0:
        return f"{', '.join(parts)}. A small message takes {alpha}, {_way(found.kind)}."
    text = rate_text(rate)
    return f"{', '.join(parts)}. A message of n bytes takes {alpha} plus n at {text}, {_way(found.kind)}."


def _way(kind: str) -> str:
    """What the time is of: a round trip cannot tell the two directions apart."""
    return "one way" if kind == "one-way" else f"one way: half of both, by {kind} probes"


def _up(found: Availability) -> str:
    measured = f"measured for {lasts(found.measured_s)} of {lasts(found.elapsed_s)}"
    return f"Up {100 * found.share.median:.3f} % of the time{_range(found)}, {measured}"


def _range(found: Availability) -> str:
    share = found.share
    if share.low is None or share.high is None:
        at_most = found.outages_per_day_at_most
        rate = f"fewer than {significant(at_most, 2)} outages a day" if at_most else ""
        return f" ({rate}, with 95 %)" if rate else ""
    return f" ({100 * share.low:.3f} to {100 * share.high:.3f})"


def rate_text(beta_s: Interval) -> str:
    """1/beta with its interval, in MB/s."""
    median, low, high = (1e-6 / one for one in (beta_s.median, beta_s.high, beta_s.low))
    digits = 4 if high - low < 0.02 * median else 3
    said = [significant(one, digits) for one in (median, low, high)]
    return f"{said[0]} MB/s ({said[1]} to {said[2]})"
