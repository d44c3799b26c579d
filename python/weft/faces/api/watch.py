"""A watch: links between sites, probed for weeks."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from weft.faces.api.columns.tables import Tables
from weft.faces.api.public.function import public
from weft.links.analysis.findings import WatchFindings, analyse
from weft.links.analysis.messages import MessageTimes, message_times
from weft.links.analysis.series import ProbeSeries
from weft.links.analysis.tables import tables_of
from weft.links.watch.store import store
from weft.links.watch.store.history import history

if TYPE_CHECKING:
    from weft.links.report.page import LinksReport


@dataclass(frozen=True)
class Watch:
    """The content of a watch's folder. `damage` says what cannot be read, `notes` what an importer left out of its
    files.

    `series` are the probes of each link as arrays (NumPy, one entry per probe): `time_s`, `rtt_s` (NaN if there was no
    answer), `size_bytes`, `kind`.
    """

    folder: Path
    series: list[ProbeSeries]
    damage: list[str]
    source: str = ""
    config: str = ""
    notes: tuple[str, ...] = ()

    @cached_property
    def findings(self) -> WatchFindings:
        """Links with availability, alpha, beta, busy hours, changes and gaps; outages of all links."""
        return analyse(self.series)

    @cached_property
    def tables(self) -> Tables:
        """The tables of `weft watch show` and the report, by name, such as `watch.tables["outages"]`."""
        return Tables.of_results(tables_of(self.findings, self.series))

    @public
    def messages(self, size_bytes: int, ranks: int | None = None) -> list[MessageTimes]:
        """The time (s) of a message of this size on each link, by hour of the week or the day, with intervals, and of
        an all-to-all of it among `ranks` ranks, half of them at each site."""
        return message_times(self.series, size_bytes, ranks)

    @public
    def report(
        self,
        out: str | os.PathLike[str] | None = None,
        *,
        message_bytes: int = 1_000_000,
        ranks: int = 16,
    ) -> Path:
        """Write the page, as `weft watch report` does: report.html in the folder unless `out` names a file. Raises
        RequestError if nothing was measured, WorkError if the file cannot be written."""
        from weft.understand.report.frame import FILE_NAME

        return self.page(message_bytes, ranks).write(Path(out or self.folder / FILE_NAME))

    def page(self, message_bytes: int = 1_000_000, ranks: int = 16) -> LinksReport:
        """The page and its figures, not written."""
        from weft.links.report.material import About  # drawing is slow to import
        from weft.links.report.page import LinksReport

        about = About(self.folder.resolve().name, self.source, self.config, self.damage)
        return LinksReport(about, self.series, self.findings, message_bytes, ranks)


def open_watch(
    folder: str | os.PathLike[str], since_s: float | None = None, *, is_summary: bool = False
) -> Watch:
    """Read the folder of a watch, even while it is written; `since_s` (Unix time) leaves out older data. A summary has
    all losses, but only about one answer a minute of past days. Raises RequestError if it is not a watch."""
    found = store.open_watch(folder, since_s, is_summary=is_summary)
    record = found.record
    return Watch(
        found.folder,
        history(found),
        found.damage,
        record.source,
        record.config,
        tuple(record.notes),
    )
