"""All findings from probe series, link by link, as data for tables, JSON and reports."""

from __future__ import annotations

from dataclasses import dataclass

from weft.links.analysis.busy import busy_hours, hours_text
from weft.links.analysis.causes import Incident, find_incidents
from weft.links.analysis.levels.changes import LevelShift, find_course
from weft.links.analysis.levels.recurrence import Recurrence
from weft.links.analysis.outages.availability import DEFINITION, Availability, availability
from weft.links.analysis.outages.periods import Period, find_periods
from weft.links.analysis.quarters import quarters
from weft.links.analysis.series import ProbeSeries, link_name
from weft.links.analysis.times import HourlyTimes, MessageModel, by_hour, hourly, overall
from weft.runs.probes import KINDS


@dataclass(frozen=True)
class LinkFindings:
    """One link in one direction, in Unix times. `kind` is the kind of probe that all findings but outages are based on;
    `gaps` are times without measurement; `busy` are hours of the week (0 is Monday 00:00 in `timezone`)."""

    src: str
    dst: str
    network: str
    probes: int
    lost: int
    kind: str
    begin_s: float
    end_s: float
    availability: Availability | None
    times: MessageModel | None
    times_by_hour: dict[int, HourlyTimes]
    busy_hours: str
    busy: list[int]
    changes: list[LevelShift]
    recurrences: list[Recurrence]
    gaps: list[tuple[float, float]]
    timezone: str

    @property
    def name(self) -> str:
        """Such as "a -> b", with the network unless it is the default one."""
        return link_name(self.src, self.dst, self.network)


@dataclass(frozen=True)
class WatchFindings:
    """Findings of all links, and all their outages in order of time."""

    links: list[LinkFindings]
    outages: list[Incident]
    availability_definition: str = DEFINITION

    def end_s(self, one: Incident) -> float:
        """The end of an outage, or the last measurement if it has not ended (Unix time)."""
        if one.end_s is not None:
            return one.end_s
        return next(link.end_s for link in self.links if link.name == one.link)


def analyse(watched: list[ProbeSeries]) -> WatchFindings:
    """Analyse all links. A month of one link with a probe every 10 s takes seconds, nearly all for the detection of
    changes."""
    watched = [one for one in watched if len(one)]
    periods = [find_periods(one) for one in watched]
    end_s = max((one.start + float(one.time_s[-1]) for one in watched), default=0.0)
    links = [_link(one, found, end_s) for one, found in zip(watched, periods, strict=True)]
    return WatchFindings(links, find_incidents(watched, periods))


def _link(series: ProbeSeries, periods: list[Period], end_s: float) -> LinkFindings:
    parts, hours = quarters(series), hourly(series)
    busy, course = busy_hours(parts), find_course(parts)
    return LinkFindings(
        src=series.src,
        dst=series.dst,
        network=series.network,
        probes=series.count,
        lost=int(series.lost.sum()),
        kind=KINDS[int(series.smallest().kind[0])],
        begin_s=series.start + float(series.time_s[0]),
        end_s=series.start + float(series.time_s[-1]),
        availability=availability(series, periods, end_s),
        times=overall(hours),
        times_by_hour=by_hour(hours),
        busy_hours=hours_text(busy),
        busy=busy,
        changes=course.changes,
        recurrences=course.recurrences,
        gaps=[(series.start + begin, series.start + end) for begin, end in series.gaps()],
        timezone=series.timezone,
    )
