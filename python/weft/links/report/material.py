"""The data of the report of a watch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from weft.base.statistics import Floats
from weft.links.analysis.cells import Cells, cells, week
from weft.links.analysis.findings import LinkFindings, WatchFindings
from weft.links.analysis.messages import MessageTimes, message_times
from weft.links.analysis.profile import hour_of_week
from weft.links.analysis.series import ProbeSeries
from weft.links.analysis.times import MessageModel, over_time


@dataclass(frozen=True)
class About:
    """Facts from the folder: its name, the `source` of probes (agents or another monitor), its sites.toml, and what is
    damaged."""

    name: str
    source: str = "agents"
    config: str = ""
    damage: Sequence[str] = ()


@dataclass(frozen=True)
class LinkMaterial:
    """One link: its smallest probes and its findings. `number` counts from 1."""

    number: int
    series: ProbeSeries
    findings: LinkFindings

    @property
    def name(self) -> str:
        """Such as "a -> b"."""
        return self.findings.name

    @cached_property
    def small(self) -> ProbeSeries:
        """The smallest probes of the main kind."""
        return self.series.smallest()

    @cached_property
    def hours(self) -> Cells:
        """Cells of an hour."""
        return cells(self.small, 3600.0)

    @cached_property
    def week(self) -> Floats:
        """Round trips by hour of the week in seconds, shape (168,)."""
        return week(self.hours)

    @cached_property
    def probed_hours(self) -> set[int]:
        """Hours of the week in which probes were sent, whether answered or not."""
        return {int(hour) for hour in hour_of_week(self.hours.begin_s, self.hours.timezone)}

    @cached_property
    def course(self) -> list[tuple[float, float, MessageModel]]:
        """alpha and beta over time."""
        return over_time(self.series)

    @property
    def is_by_week(self) -> bool:
        """Whether times are by hour of the week; else by hour of the day."""
        return max(self.findings.times_by_hour, default=0) >= 24


@dataclass(frozen=True)
class LinksMaterial:
    """A watch: its series in the order of the findings' links. `message_bytes` and `ranks` are those for which message
    times are predicted."""

    about: About
    watched: Sequence[ProbeSeries]
    findings: WatchFindings
    message_bytes: int = 1_000_000
    ranks: int = 16

    @cached_property
    def links(self) -> list[LinkMaterial]:
        """All links with probes."""
        found = zip([one for one in self.watched if len(one)], self.findings.links, strict=True)
        return [LinkMaterial(i, series, link) for i, (series, link) in enumerate(found, 1)]

    @cached_property
    def messages(self) -> list[MessageTimes]:
        """Predicted message times."""
        return message_times(self.watched, self.message_bytes, self.ranks)
