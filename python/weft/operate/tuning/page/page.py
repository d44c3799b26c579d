"""The page about a tuning: recommendations first, then what was tried, what made no difference, and what was
skipped."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from pathlib import Path

from weft import __version__
from weft.base.nodeset import fold
from weft.base.printable import printable
from weft.knobs.recommendation import at_least_text, times_text
from weft.measure.execute.work_folder import read_request
from weft.operate.tuning.page.forest import forest
from weft.operate.tuning.request import COMMAND, USUAL_TIME_S, TuneRequest
from weft.operate.tuning.tables import candidates_table
from weft.operate.tuning.tuning import RaceSummary, TuningResult
from weft.runs.meta import Warning
from weft.runs.run_warnings import said
from weft.runs.work_document import write
from weft.understand.drawing.figure import Figure
from weft.understand.report.frame import environment
from weft.understand.report.table import PageTable

PAGE_NAME = "tuning.html"
MANY_ROWS, LONG_CELL = 12, 30
_HERE = Path(__file__).parent


@dataclass(frozen=True)
class TuningPage:
    """The content of the page; `command` repeats the tuning."""

    found: TuningResult
    command: Sequence[str]

    @property
    def heading(self) -> str:
        count = len(self.found.recommendations)
        return f"{count} recommendation{'s' * (count > 1)}" if count else "No recommendation"

    @property
    def warnings(self) -> list[Warning]:
        """The warnings of the runs, each once."""
        return said(self.found.warnings)

    @property
    def effect(self) -> str:
        return "" if self.found.effect is None else at_least_text(self.found.effect)

    @property
    def facts(self) -> list[tuple[str, str]]:
        found = self.found
        told = [
            ("Testbed", found.testbed),
            ("Nodes", fold(found.nodes)),
            ("Goal", found.goal),
            ("Path", found.first_look.text),
            (
                "Limited by",
                "; ".join(found.first_look.limits.values()) or "nothing that the kernel states",
            ),
            ("Started", found.started),
            ("Took", f"{found.elapsed_s:.0f} s"),
        ]
        if found.recommendations:
            told.append(("How sure", found.how_sure))
        return [*told, *(("Note", one) for one in found.notes)]

    @cached_property
    def figures(self) -> dict[str, Figure]:
        """The forest plot of each race, by the knobs that were raced."""
        drawn = (
            (one.choice.name, forest(one, number)) for number, one in enumerate(self.found.raced)
        )
        return {name: figure for name, figure in drawn if figure}

    @property
    def indifferent(self) -> list[RaceSummary]:
        """The races without a winner."""
        return [one for one in self.found.raced if not one.won]

    def outcome(self, raced: RaceSummary) -> str:
        """How a race ended, as text."""
        if raced.won:
            return f"{raced.result.winner} won"
        led = next((one for one in raced.result.confirmations), None)
        if led:
            return f"{led.name} led, and was not confirmed: {times_text(led.ratio)}"
        return ENDED[raced.result.ended]

    @property
    def races(self) -> PageTable:
        rows = [
            [
                one.choice.name,
                self.outcome(one),
                one.choice.why,
                f"{one.result.blocks}",
                f"{one.result.seconds:.0f} s",
                Path(one.result.folder).name,
            ]
            for one in self.found.raced
        ]
        return PageTable(
            ["Knob", "Outcome", "Why in this place", "Blocks", "Took", "Run folder"], rows
        )

    def candidates(self, raced: RaceSummary) -> PageTable:
        return PageTable.of(candidates_table([raced]))

    @property
    def skipped(self) -> PageTable:
        """Skipped knobs: one row for each reason."""
        ordered = sorted(self.found.skipped, key=lambda one: one.why)
        rows = [
            [why, ", ".join(one.knob for one in alike)]
            for why, alike in groupby(ordered, key=lambda one: one.why)
        ]
        return PageTable(["Why", "Knobs"], rows)

    @property
    def repeat(self) -> str:
        return shlex.join(self.command)

    def html(self) -> str:
        """The page as one file with embedded style and figures."""
        template = environment(_HERE).get_template("tuning.html.j2")
        return template.render(
            page=self,
            version=__version__,
            at_least_text=at_least_text,
            times_text=times_text,
            many_rows=MANY_ROWS,
            long_cell=LONG_CELL,
        )


ENDED = {
    "none-ahead": "nothing is ahead of the settings as they were",
    "one-left": "the settings as they were beat all others",
    "equal": "equal within the margin",
    "time": "not decided in its time",
    "interrupted": "interrupted",
}
"""How a race without a winner ended."""


def write_page(found: TuningResult, folder: Path) -> Path:
    """Write the page of a tuning into its folder; raises WorkError."""
    page = TuningPage(found, list(command_of(read_request(str(folder), TuneRequest, COMMAND))))
    write(folder / PAGE_NAME, printable(page.html()).encode())
    return folder / PAGE_NAME


def command_of(request: TuneRequest) -> Iterator[str]:
    """The command that repeats a tuning."""
    given = {
        "--on": request.testbed,
        "--for": request.goal,
        "--knobs": ",".join(request.knobs) or None,
        "--time": None if request.time_s == USUAL_TIME_S else f"{request.time_s:g} s",
        "--scale": None if request.scale in (None, 1) else f"{request.scale:g}",
        "--nodes": request.nodes,
        "--ports": request.ports,
    }
    yield from ("weft", "tune")
    for name, value in given.items():
        if value is not None:
            yield from (name, str(value))
