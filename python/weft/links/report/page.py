"""The report of a watch: one self-contained HTML file."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path

from weft.base.errors import RequestError
from weft.links.analysis.causes import Incident
from weft.links.analysis.messages import MessageTimes
from weft.links.analysis.tables import tables_of
from weft.links.report import verdict
from weft.links.report.course import course_figures
from weft.links.report.material import LinkMaterial, LinksMaterial
from weft.links.report.messages import message_figures, message_sentence
from weft.links.report.strip import strip_figure
from weft.links.report.week import week_figures
from weft.understand.drawing.figure import Figure
from weft.understand.report.frame import page_data, render, write_page
from weft.understand.report.table import PageTable


class LinksReport(LinksMaterial):
    """The report and its figures; raises RequestError if nothing was measured."""

    @cached_property
    def figures_by_link(self) -> list[tuple[LinkMaterial, list[Figure]]]:
        """For each link: the strip by day, the map of the week, alpha and beta, and message times."""
        return [(link, self._figures(link)) for link in self.links]

    @property
    def figures(self) -> list[Figure]:
        """The figures of all links."""
        return [figure for _, some in self.figures_by_link for figure in some]

    def outages_of(self, link: LinkMaterial) -> list[Incident]:
        """The outages of one link."""
        return [one for one in self.findings.outages if one.link == link.name]

    def sentence_of(self, link: LinkMaterial) -> str:
        """The summary sentence of one link."""
        said = [verdict.link_sentence(link, self.outages_of(link))]
        said += [message_sentence(one) for one in self._messages(link)]
        return " ".join(said)

    def html(self) -> str:
        """The complete page, with styles, scripts, figures and data inside."""
        if not self.links:
            raise RequestError(
                f"{self.about.name}: has no probes in this time, so there is nothing to report",
                "wait for the first ones (`weft watch status` says), or give a longer --since",
            )
        found = tables_of(self.findings, self.watched)
        links, probes, *events = ((one.title, PageTable.of(one)) for one in found.values())
        how = {"watched": [links, probes], "events": events}
        values = {"report": self, "verdict": verdict} | how
        return render("links.html.j2", page_data(self.figures), values)

    def write(self, path: Path) -> Path:
        """Write the page to `path`, atomically."""
        return write_page(self.html(), path)

    def write_figures(self, directory: Path) -> list[Path]:
        """Write every figure as SVG and PNG."""
        return [path for figure in self.figures for path in figure.write(directory)]

    def _figures(self, link: LinkMaterial) -> list[Figure]:
        outages = self.outages_of(link)
        return [
            strip_figure(link, outages),
            *week_figures(link),
            *course_figures(link, outages),
            *(figure for one in self._messages(link) for figure in message_figures(link, one)),
        ]

    def _messages(self, link: LinkMaterial) -> list[MessageTimes]:
        found = link.findings
        ends = (found.src, found.dst, found.network)
        return [one for one in self.messages if (one.src, one.dst, one.network) == ends]
