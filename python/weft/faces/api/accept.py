"""Accepting a cluster from Python: a verdict on each requirement."""

from __future__ import annotations

import datetime
import os
from functools import cached_property
from pathlib import Path

from weft.faces.api.columns.table import Table
from weft.faces.api.columns.text import Said
from weft.faces.api.run import Run, opened
from weft.measure.execute.progress import Showing, silent
from weft.operate.acceptance import accept as acceptance
from weft.operate.acceptance.accept import AcceptRequest
from weft.operate.acceptance.faults import ElementFault, faults
from weft.operate.acceptance.tables import verdicts_table
from weft.operate.acceptance.vendor.page import write_page
from weft.operate.acceptance.verdict import AcceptanceResult as Found
from weft.operate.acceptance.verdict import RequirementVerdict
from weft.runs.run_warnings import in_doubt, lines

HEADINGS = {True: "accepted", False: "NOT accepted", None: "not decided"}


class Acceptance(Said):
    """Whether a cluster meets its requirements, and why not. Made by `weft.accept`."""

    def __init__(self, found: Found, folder: Path) -> None:
        self.found, self.folder = found, folder
        self.page = write_page(found, folder)
        """The page for the vendor."""

    @property
    def passed(self) -> bool | None:
        """Whether all requirements are met; None if none is failed but some are undecided."""
        return self.found.passed

    @cached_property
    def verdicts(self) -> Table:
        """A row for each requirement (shape: requirements): `status` is "met", "not met" or "not decided".

        `measured` is the worst value found, with its interval, and `limit` the requirement, both in the row's unit;
        null if the requirement is not about a number. `elements` are what is wrong, `causes` the likeliest first,
        `doubts` say why the numbers may be of something other than the network.
        """
        return Table.of_results("Verdicts", verdicts_table(self.found.verdicts))

    @cached_property
    def faults(self) -> list[ElementFault]:
        """What is wrong, by element; first what spoils most requirements."""
        return faults(self.found.verdicts)

    @property
    def runs(self) -> dict[str, Run]:
        """The runs on which the verdicts rest, by name."""
        return {Path(folder).name: opened(folder) for folder in self.found.runs}

    def lines(self) -> list[str]:
        """The verdict, then each requirement that is not met or not decided, and the warnings of the runs."""
        about = f"{self.found.testbed}: {HEADINGS[self.passed]}, {len(self.found.nodes)} nodes"
        return [
            in_doubt(about, self.found.doubts),
            *(_text(one) for one in self.found.verdicts if one.status != "met"),
            *(f"warning: {line}" for line in lines(self.found.warnings)),
        ]


def _text(one: RequirementVerdict) -> str:
    decides = f"; {one.would_decide}" if one.would_decide else ""
    elements = ", ".join(dict.fromkeys(symptom.element for symptom in one.symptoms))
    causes = (
        f"; likely {' or '.join(cause.title for cause in one.causes[:2])}" if one.causes else ""
    )
    return f"{one.marked_status}: {one.title}{': ' if elements else ''}{elements}{causes}{decides}"


def accept(
    on: str,
    *,
    expect: str | os.PathLike[str] | None = None,
    fabric: str | os.PathLike[str] | None = None,
    out: str | os.PathLike[str] | None = None,
    scale: float | None = None,
    nodes: int | None = None,
    ports: str | None = None,
    title: str | None = None,
    customer: str | None = None,
    order: str | None = None,
    showing: Showing = silent,
) -> Acceptance:
    """Check and measure a cluster until each requirement is decided: `weft.accept("ssh:n[1-8]").verdicts.to_pandas()`.

    on: what to accept. expect: a TOML file of requirements; by default what the fabric declares, and equal nodes.
    fabric: the declared network, a catalogue name or a file. out: the folder of all runs; runs/accept-TIME by default.
    scale: multiplies a lab's rates; by default 1, or what this machine carries. nodes, ports: as in `weft.run`.
    title, customer, order: told on the page. showing: shows the progress.

    Raises RequestError before anything is started, WorkError if the work fails, and KeyboardInterrupt on an interrupt:
    `weft.resume_acceptance(folder)` continues it.
    """
    folder = Path(out or f"runs/accept-{datetime.datetime.now():%Y%m%d-%H%M%S}")
    expected, declared = (None if one is None else os.fspath(one) for one in (expect, fabric))
    request = AcceptRequest(
        on,
        str(folder),
        expected,
        declared,
        scale,
        nodes,
        ports,
        title=title,
        customer=customer,
        order=order,
    )
    return Acceptance(acceptance.accept(request, showing), folder)


def resume_acceptance(
    folder: str | os.PathLike[str], *, yes: bool = False, showing: Showing = silent
) -> Acceptance:
    """Continue an interrupted acceptance; measurements are kept. Raises RequestError if the folder is not an
    acceptance.

    yes: run the commands that the folder names, if its testbed needs any.
    """
    place = os.fspath(folder)
    approved = acceptance.side_effects_of_acceptance(place) if yes else []
    return Acceptance(acceptance.resume(place, showing, approved), Path(folder))
