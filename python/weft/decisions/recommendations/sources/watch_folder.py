"""Proposals from a watch: outages and their causes, lasting loss, busy hours."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

from weft.base.interval import Interval
from weft.base.quantity import format_us
from weft.base.statistics import median_interval
from weft.decisions.recommendations.action import (
    Action,
    ActionEffect,
    ActionEvidence,
    ByHand,
    Kind,
    id_of,
)
from weft.decisions.recommendations.remedy import Proposal
from weft.links.analysis.causes import CLASSES, Incident
from weft.links.analysis.findings import LinkFindings, WatchFindings, analyse
from weft.links.analysis.messages import MessageTimes, message_times
from weft.links.watch.store.history import history
from weft.links.watch.store.store import StoredWatch
from weft.runs.run_warnings import RunWarning

LEAST_SHARE = 1e-3
"""Outages of a smaller share of the measured time are only on the page of the watch."""
MESSAGE_BYTES = 1_000_000
WAYS = "look for what drops or lengthens packets on the way"
REMEDIES: dict[str, tuple[str, Kind]] = {
    "host": ("look at why {site} was down", "fix"),
    "agent": ("look at why the agent of {site} stopped, such as memory or a restart", "operate"),
    "machine": ("give {site} processor time of its own: it was suspended or had none", "operate"),
    "carrier": ("ask the provider of {site} about its line", "operate"),
    "path": (f"{WAYS} between {{link}}", "fix"),
    "one direction": (f"{WAYS} from {{src}} to {{dst}}", "fix"),
    "port filtered": ("let the ports of all probes through between {link}", "fix"),
    "tunnel": ("look at the tunnel between {link}: the usual network passed", "fix"),
    "large packets": ("let large packets pass between {link}, or lower the MTU", "fix"),
    "loss": ("find where packets are lost between {link}", "fix"),
}
"""By class of outage, what to do (without naming whose outage it was); filtered ICMP itself does no harm."""


class WatchFolder:
    """The folder of `weft watch`."""

    cluster = None

    def __init__(self, path: Path, watched: StoredWatch) -> None:
        self.path = path
        self._series = history(watched)
        self.when = max((one.start + float(one.time_s[-1]) for one in self._series), default=0.0)

    @property
    def subject(self) -> tuple[object, ...]:
        return "watch", *(link.name for link in self.findings.links)

    @cached_property
    def findings(self) -> WatchFindings:
        """All findings from its probes."""
        return analyse(self._series)

    @property
    def said(self) -> str:
        count = len(self.findings.links)
        return f"{count} link{'s' * (count != 1)}, {len(self.findings.outages) or 'no'} outages"

    @property
    def warnings(self) -> tuple[RunWarning, ...]:
        """Empty: it rests on no run."""
        return ()

    def proposals(self) -> Iterator[Proposal]:
        """Causes of outages with their total duration, then busy hours."""
        for link in self.findings.links:
            by_cause: dict[str, list[Incident]] = {}
            for one in self.findings.outages:
                if (one.src, one.dst, one.network) == (link.src, link.dst, link.network):
                    by_cause.setdefault(one.what, []).append(one)
            for what, incidents in by_cause.items():
                yield from self._outages(link, what, incidents)
        for times in message_times(self._series, MESSAGE_BYTES):
            yield from self._busy(times)

    def _outages(self, link: LinkFindings, what: str, all_: list[Incident]) -> Iterator[Proposal]:
        whose, _, rest = what.partition(" ")
        is_of_end = whose in ("their", "our")
        remedy = REMEDIES.get(rest if is_of_end else what)
        down_s = sum((one.end_s or link.end_s) - one.begin_s for one in all_)
        if remedy is None or link.availability is None:
            return
        if down_s < LEAST_SHARE * link.availability.measured_s:
            return
        site = link.dst if whose == "their" else link.src
        do = remedy[0].format(site=site, link=link.name, src=link.src, dst=link.dst)
        element = site if is_of_end else link.name
        times = f"{len(all_)} time{'s' * (len(all_) != 1)}"
        text = f"{link.name}: {all_[0].cause}, {times}, {format_us(1e6 * down_s)} in all: {CLASSES[what]}"
        yield Proposal(
            Action(
                id=id_of("outage", rest if is_of_end else what, element),
                kind=remedy[1],
                do=f"{do} ({times}, {format_us(1e6 * down_s)} in all)",
                element=element,
                nodes=(site,) if is_of_end else (link.src, link.dst),
                effort="hours",
                evidence=(ActionEvidence(str(self.path), text, what),),
                effect=_more_up(link, down_s),
                checks=(ByHand(f"watch on, then `weft watch show {self.path} --since 7d`"),),
            )
        )

    def _busy(self, times: MessageTimes) -> Iterator[Proposal]:
        link = next(
            one
            for one in self.findings.links
            if (one.src, one.dst, one.network) == (times.src, times.dst, times.network)
        )
        hours = set(link.busy) if times.is_by_week else {hour % 24 for hour in link.busy}
        busy = [one.message_s.median for one in times.by_hour if one.hour in hours]
        quiet = [one.message_s.median for one in times.by_hour if one.hour not in hours]
        if not busy or not quiet:
            return
        slow, fast = median_interval(busy), median_interval(quiet)
        if slow.median <= fast.median:
            return
        ratio = Interval(slow.median / fast.median, slow.low / fast.high, slow.high / fast.low)
        yield Proposal(
            Action(
                id=id_of("busy", link.name),
                kind="operate",
                do=f"send large data from {link.src} to {link.dst} outside of {link.busy_hours} "
                f"({link.timezone})",
                element=link.name,
                nodes=(link.src, link.dst),
                effort="minutes",
                evidence=(
                    ActionEvidence(
                        str(self.path),
                        f"1 MB takes {format_us(1e6 * slow.median)} in busy hours, {format_us(1e6 * fast.median)} in "
                        "others (the middle hour of each)",
                        "busy",
                    ),
                ),
                effect=ActionEffect(f"1 MB from {link.src} to {link.dst}", ratio, "measured"),
                checks=(
                    ByHand(f"`weft watch show {self.path} --message 1MB` has the times by hour"),
                ),
            )
        )


def _more_up(link: LinkFindings, down_s: float) -> ActionEffect | None:
    """The time up without these outages over the time up, with the interval of the link's availability; None if that
    has no interval."""
    assert link.availability is not None
    share = link.availability.share
    if share.low is None or share.high is None:
        return None
    part = min(1.0, down_s / link.availability.down_s)
    ends = (1 + part * (1 - one) / one for one in (share.median, share.high, share.low))
    return ActionEffect(f"availability of {link.name}", Interval(*ends), "counted")
