"""Input and output of readers of probe files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from weft.base.errors import RequestError
from weft.links.analysis.series import ProbeSeries


@dataclass(frozen=True)
class ProbeOptions:
    """What a file does not state: names of the sites ("" to take them from the file or its name), Unix time of the
    first probe, seconds between probes, and which archive of an RRD to read (seconds a row)."""

    src: str = ""
    dst: str = ""
    start_s: float | None = None
    interval_s: float = 1.0
    step_s: float | None = None

    @property
    def here(self) -> str:
        """The probing site, for files that do not name it."""
        return self.src or "here"


@dataclass(frozen=True)
class ProbeFile:
    """A text file of probes."""

    path: Path
    lines: Iterable[str]
    options: ProbeOptions

    def numbered(self) -> Iterator[tuple[int, str]]:
        """The lines with their numbers, from 1."""
        return enumerate(self.lines, 1)

    def wrong(self, line: int, why: str, hint: str = "") -> RequestError:
        """An error that names the line."""
        return RequestError(f"{self.path}:{line}: {why}", hint)


@dataclass(frozen=True)
class ReadSeries:
    """A series for each link, and notes for the user about how it was read."""

    series: list[ProbeSeries]
    notes: list[str] = field(default_factory=list)
