"""What a reader is given, and what it gives."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from weft.base.errors import RequestError
from weft.links.analysis.series import ProbeSeries


@dataclass(frozen=True)
class ProbeOptions:
    """What a file does not say: names of the sites ("" where the file, or its name, says it), when its first probe
    began (Unix time), the seconds from one probe to the next, and which archive of an RRD is meant (seconds a row)."""

    src: str = ""
    dst: str = ""
    start_s: float | None = None
    interval_s: float = 1.0
    step_s: float | None = None

    @property
    def here(self) -> str:
        """The probing site where the file does not name it."""
        return self.src or "here"


@dataclass(frozen=True)
class ProbeFile:
    """A text file of probes."""

    path: Path
    lines: Iterable[str]
    options: ProbeOptions

    def numbered(self) -> Iterator[tuple[int, str]]:
        """The lines, counted from 1."""
        return enumerate(self.lines, 1)

    def wrong(self, line: int, why: str, hint: str = "") -> RequestError:
        """That a line is wrong."""
        return RequestError(f"{self.path}:{line}: {why}", hint)


@dataclass(frozen=True)
class ReadSeries:
    """A series for each link, and what the user should know of how it was read."""

    series: list[ProbeSeries]
    notes: list[str] = field(default_factory=list)
