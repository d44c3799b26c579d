"""Is a published study of a link redrawn?

A published study of the link between two clusters, redrawn from a synthetic series with its parameters.

usage: bench/run.py intercluster [--report FILE] [--figures DIR]
tier: quick

The study (catalog/published/intercluster.toml) pinged 8 B and 20 kB in turn between two buildings in November 2005.
Twenty days of both directions are made with its values: one way 0.66 ms at 8 B in the mean, connected 63 % of the time
because a host is off at night, one power failure besides, below a tenth of a LAN's bandwidth. They are written as the
folder of a watch, read, and analysed as `weft watch show` does; each published value is printed beside what comes out.

Takes a minute. What the study does not state is assumed: beta (1.1 us/B; it only gives a bound), jitter, busy hours,
0.2 % of losses. Nothing else was planted, so every change that is found is a false one, although the jitter quadruples
at nine on working days and goes back at one. The bench shows that the analysis gives back what went in, not that it
would have on the study's link. The share of the link that its probes take (0.17 %) is that of 100 Mb/s, while it says
10 Mb/s; the routers are not to be seen in round trips.
"""

from __future__ import annotations

import argparse
import tempfile
import time
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import weft
from common.checkout import ROOT
from common.machine import machine
from common.results import Goal, save
from common.watch.months import correlated
from weft.base.interval import Interval
from weft.base.statistics import Floats
from weft.links.analysis.causes import Incident
from weft.links.analysis.findings import WatchFindings
from weft.links.analysis.outages.availability import AvailabilityShare, availability
from weft.links.analysis.series import ProbeSeries
from weft.links.watch.store.importing import write_watch

PUBLISHED = ROOT / "catalog" / "published" / "intercluster.toml"
OFF, OTHER = "iii-lidi", "cetad"
"""The site whose host is switched off at night, and the other one, which the study's pings came from."""
START = 1_131_321_600
"""Monday 7 November 2005, 00:00; the study's days are local, so its hours stand for UTC here."""
DAY, HOUR = 86400.0, 3600.0
DAYS = 20
SMALL, LARGE = 8, 20_000
BETA_S = 1.1e-6
BUSY = range(9, 13)
QUIET_S, BUSY_S = 60e-6, 240e-6
"""The mean queue of a round trip."""
NOISE_S = 10e-6
"""How far the path's own time wanders, autocorrelated from one quarter of an hour to the next."""
POWER = (5 * DAY + 14 * HOUR, 5 * DAY + 17 * HOUR)
"""The power failure: a Saturday afternoon."""
BOOT_S = 60.0
"""From the first answer of a host that was off to the first probe of its agent."""


@dataclass(frozen=True)
class Row:
    """A published value, what came out, and whether the interval agrees."""

    what: str
    published: str
    ours: str
    agrees: bool


@dataclass(frozen=True)
class Link:
    """The course of the path in both directions: what a round trip takes beyond beta, less its queue; hours off."""

    base_s: float
    level_s: Floats
    nights: list[tuple[float, float]]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--report", type=Path, help="write the page of `weft watch report` there")
    parser.add_argument("--figures", type=Path, help="write its figures there")
    arguments = parser.parse_args()
    stated = published()
    print(f"{machine()}\n", flush=True)
    forward, backward, alpha_s = made(stated["inter_ping_oneway_ms"] * 1e-3, up_share(stated))
    with tempfile.TemporaryDirectory() as folder:
        write_watch(Path(folder, "links"), [forward, backward], "synthetic")
        watch = weft.open_watch(Path(folder, "links"))
        began = time.perf_counter()
        found = watch.findings
        seconds = time.perf_counter() - began
        rows = [*compared(stated, watch.series[0], found), *planted(found, alpha_s)]
        if arguments.report or arguments.figures:
            page = watch.page(20_000, 16)
            written = [page.write(arguments.report)] if arguments.report else []
            written += page.write_figures(arguments.figures) if arguments.figures else []
            print(*written, "", sep="\n")
    print_rows(rows)
    for link in found.links:
        for one in link.changes:
            print(f"false change: {link.name}: {one}")
    print(f"\nanalysed {sum(map(len, watch.series)):,} probes in {seconds:.1f} s")
    save("intercluster", goals(rows, found, seconds))


def published() -> dict[str, float]:
    document = tomllib.loads(PUBLISHED.read_text())
    return {one["id"]: one["value"] for one in document["result"] + document["derived"]}


def up_share(stated: dict[str, float]) -> float:
    return stated["inter_availability_pct"] / 100


def made(mean_s: float, share: float) -> tuple[ProbeSeries, ProbeSeries, float]:
    """Both directions, and their alpha as it was made: the estimate of weft without the error of sampling."""
    generator = np.random.default_rng(21)
    level_s = NOISE_S * correlated(generator, int(DAYS * DAY / 900))
    link = Link(0.0, level_s, nights(generator, share))
    forward = probed(generator, link, OTHER, OFF)
    answered = forward.rtt_s[(forward.size_bytes == SMALL) & ~forward.lost]
    link = Link(2 * mean_s - float(answered.mean()), level_s, link.nights)
    forward.rtt_s[:] += link.base_s
    return forward, probed(generator, link, OFF, OTHER), alpha_of(link)


def nights(generator: np.random.Generator, share: float) -> list[tuple[float, float]]:
    """When the host is off: from late evenings on, together so long that the link is up for this share of the time in
    which the other site probes."""
    lengths = 9 * HOUR + generator.uniform(-1, 1, DAYS) * HOUR
    lengths *= (1 - share) * (DAYS * DAY - (POWER[1] - POWER[0])) / lengths.sum()
    begins = np.arange(DAYS) * DAY + generator.uniform(0, 1, DAYS) * HOUR
    return [(float(b), float(b + length)) for b, length in zip(begins, lengths, strict=True)]


def probed(generator: np.random.Generator, link: Link, src: str, dst: str) -> ProbeSeries:
    """A probe a second, small and large in turn; lost while the other end is off, none while the own one is."""
    time_s = np.arange(DAYS * DAY) + generator.uniform(0, 0.3, int(DAYS * DAY))
    size = np.where(np.arange(len(time_s)) % 2, LARGE, SMALL)
    queue_s = generator.exponential(queue_of(time_s))
    level_s = link.base_s + link.level_s[(time_s // 900).astype(int)]
    rtt_s = level_s + 2 * BETA_S * size + queue_s
    rtt_s[generator.random(len(time_s)) < 0.002] = np.nan
    off = {OFF: link.nights, OTHER: [POWER]}
    rtt_s[inside(time_s, off[dst])] = np.nan
    measured = ~inside(time_s, [(begin, end + BOOT_S) for begin, end in off[src]])
    kind = np.zeros(len(time_s), np.int8)
    return ProbeSeries(src, dst, START, time_s, rtt_s, size, kind).where(measured)


def queue_of(time_s: Floats) -> Floats:
    hour, day = time_s // HOUR % 24, time_s // DAY % 7
    return np.where((day < 5) & np.isin(hour, list(BUSY)), BUSY_S, QUIET_S)


def inside(time_s: Floats, spans: list[tuple[float, float]]) -> np.ndarray:
    found = np.zeros(len(time_s), bool)
    for begin, end in spans:
        found |= (time_s >= begin) & (time_s < end)
    return found


def alpha_of(link: Link) -> float:
    """The median over days of the medians over hours with the host on; a queue's median is ln 2 of its mean."""
    hours = np.arange(0, DAYS * DAY, HOUR)
    level = link.level_s.reshape(-1, 4).mean(axis=1)
    alpha = (link.base_s + level + np.log(2) * queue_of(hours)) / 2
    off = inside(hours, link.nights) & inside(hours + HOUR - 1, link.nights)
    off |= inside(hours, [POWER])
    days = [alpha[(hours // DAY == day) & ~off] for day in range(DAYS)]
    return float(np.median([np.median(one) for one in days]))


def compared(stated: dict[str, float], forward: ProbeSeries, found: WatchFindings) -> Iterator[Row]:
    """What the study states beside the direction that it pinged."""
    [link] = [one for one in found.links if one.src == OTHER]
    mean_ms = daily_mean_ms(forward)
    assert link.availability and link.times and link.times.beta_s
    yield within("mean one-way time of 8 B, ms", stated["inter_ping_oneway_ms"], mean_ms)
    yield within("mean round trip, ms", stated["der001_rtt_ms"], scaled(mean_ms, 2))
    lan_ms = stated["lan_tcp_latency_ms"]
    ratio = scaled(mean_ms, 1 / lan_ms)
    yield within(
        "latency over that of a LAN", round(stated["inter_ping_oneway_ms"] / lan_ms, 4), ratio
    )
    up = stated["inter_availability_pct"]
    yield within("connected, 8 B, %", up, scaled(interval_of(link.availability.share), 100))
    large = availability(forward.where(forward.size_bytes == LARGE))
    assert large
    yield within("connected, 20 kB, %", up, scaled(interval_of(large.share), 100))
    lan = stated["lan_realistic_mbyte_s"] * 1e6
    part = link.times.beta_s.map_decreasing(lambda beta_s: 1 / beta_s / lan)
    most = stated["inter_bw_fraction_max"]
    yield Row("bandwidth, of that in a cluster", f"< {most:g}", text(part), part.high < most)
    least = 10 ** stated["inter_penalty_orders"]
    slower = part.map_decreasing(lambda one: 1 / one)
    yield Row("latency worse than in a LAN by", f">= {least:g}", text(ratio), ratio.low >= least)
    yield Row("bandwidth worse by", f">= {least:g}", text(slower), slower.low >= least)
    failures = distinct(found.outages)
    others = [one for one in failures if failed(one) != OFF]
    count = stated["outage_other_count"]
    yield Row("outages by other causes", f"{count:g}", str(len(others)), len(others) == count)
    off = len(failures) - len(others)
    yield Row(
        "main cause",
        f"{OFF} switched off",
        f"{OFF} {off} of {len(failures)}",
        off > len(others),
    )


def distinct(outages: list[Incident]) -> list[Incident]:
    """One for each failure: what both directions lose at the same time is one."""
    found: list[Incident] = []
    for one in outages:
        if not found or one.begin_s > (found[-1].end_s or np.inf):
            found.append(one)
    return found


def failed(one: Incident) -> str:
    """The site whose host failed, "" where it is not that."""
    return {"their host": one.dst, "our host": one.src}.get(one.what, "")


def planted(found: WatchFindings, alpha_s: float) -> Iterator[Row]:
    """What the study does not state, but the series was made with."""
    [link] = [one for one in found.links if one.src == OTHER]
    assert link.times and link.times.beta_s
    yield within("alpha as made, us", round(alpha_s * 1e6, 2), scaled(link.times.alpha_s, 1e6))
    yield within("beta as made, us/B", BETA_S * 1e6, scaled(link.times.beta_s, 1e6))
    busy = f"Mon-Fri {BUSY.start:02}-{BUSY.stop}"
    yield Row("busy hours as made", busy, link.busy_hours, link.busy_hours == busy)


def daily_mean_ms(series: ProbeSeries) -> Interval:
    """The mean half round trip of 8 B, its interval by drawing days at random."""
    small = series.where((series.size_bytes == SMALL) & ~series.lost)
    day = (small.time_s // DAY).astype(int)
    sums, counts = np.bincount(day, small.rtt_s * 500), np.bincount(day)
    drawn = np.random.default_rng(1).integers(0, len(counts), (2000, len(counts)))
    means = sums[drawn].sum(axis=1) / counts[drawn].sum(axis=1)
    low, high = np.quantile(means, [0.025, 0.975])
    return Interval(float(sums.sum() / counts.sum()), float(low), float(high))


def interval_of(share: AvailabilityShare) -> Interval:
    """Of many days."""
    assert share.low is not None and share.high is not None
    return Interval(share.median, share.low, share.high)


def scaled(value: Interval, factor: float) -> Interval:
    return Interval(value.median * factor, value.low * factor, value.high * factor)


def within(what: str, value: float, ours: Interval) -> Row:
    return Row(what, f"{value:g}", text(ours), ours.low <= value <= ours.high)


def text(value: Interval) -> str:
    return f"{value.median:.5g} ({value.low:.5g} to {value.high:.5g})"


def print_rows(rows: list[Row]) -> None:
    print(f"{'':34}{'published or made':>22}  {'ours (interval)':40}")
    for row in rows:
        print(f"{row.what:34}{row.published:>22}  {row.ours:40}{'' if row.agrees else 'DIFFERS'}")


def goals(rows: list[Row], found: WatchFindings, seconds: float) -> list[Goal]:
    agree = sum(row.agrees for row in rows)
    [link] = [one for one in found.links if one.src == OTHER]
    assert link.availability and link.times
    changes = sum(len(one.changes) for one in found.links)
    return [
        Goal(
            f"values that agree within the intervals printed, of {len(rows)}",
            agree,
            at_least=len(rows),
        ),
        Goal("connected (published: 63 %)", 100 * link.availability.share.median, "%"),
        Goal(
            "alpha, one way (published: 0.66 ms in the mean)", link.times.alpha_s.median * 1e3, "ms"
        ),
        Goal("false changes, both directions, 20 days", changes, at_most=2),
        Goal("analysis of both directions, 20 days at 1/s", seconds, "s"),
    ]


if __name__ == "__main__":
    main()
