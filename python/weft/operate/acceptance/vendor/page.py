"""The page for the vendor: facts, method, measurements against requirements, and each fault with its likely causes."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from markupsafe import Markup

from weft import __version__
from weft.base.errors import WorkError
from weft.base.files.text_file import read_json
from weft.base.nodeset import fold
from weft.base.printable import printable
from weft.measure.execute.work_folder import REQUEST_NAME
from weft.operate.acceptance.accept import RECORD_NAME, AcceptRequest
from weft.operate.acceptance.decide import text_of
from weft.operate.acceptance.faults import ElementFault, faults
from weft.operate.acceptance.headline import headline, remarks, sentences
from weft.operate.acceptance.pairs import SCREEN
from weft.operate.acceptance.plans import LIMITS
from weft.operate.acceptance.requirements import value_text
from weft.operate.acceptance.tables import verdicts_table
from weft.operate.acceptance.vendor.texts import (
    caption_of,
    code,
    date_text,
    duration_text,
    facts_text,
    node_facts,
    title_of,
    verdict_text,
)
from weft.operate.acceptance.verdict import AcceptanceResult, RequirementVerdict, Symptom
from weft.operate.preflight.record import ClusterRecord
from weft.runs.folder import RunFolder
from weft.runs.meta import Warning
from weft.runs.run_warnings import said
from weft.understand.drawing.figure import Figure
from weft.understand.report.figures.heatmap import heatmap_figures
from weft.understand.report.figures.map_marks import Ends, RemeasuredMap, node_ends
from weft.understand.report.figures.tree import tree_figures
from weft.understand.report.frame import environment
from weft.understand.report.material import ReportMaterial
from weft.understand.report.table import PageTable

PAGE_NAME = "acceptance.html"
MANY_ROWS, LONG_CELL = 24, 30
MOST_CAUSES = 3
HEADINGS = {True: "Accepted", False: "Not accepted", None: "Not decided"}
_HERE = Path(__file__).parent


@dataclass(frozen=True)
class AcceptancePage:
    """The content of the page; `record` is None for a simulated testbed, `command` repeats the acceptance; `title`,
    `customer` and `order` are empty if not given."""

    found: AcceptanceResult
    record: ClusterRecord | None
    runs: Sequence[RunFolder]
    command: Sequence[str]
    title: str = ""
    customer: str = ""
    order: str = ""

    @property
    def heading(self) -> str:
        return HEADINGS[self.found.passed]

    @cached_property
    def faults(self) -> list[ElementFault]:
        return faults(self.found.verdicts)

    @property
    def undecided(self) -> list[RequirementVerdict]:
        return [one for one in self.found.verdicts if one.status == "not decided"]

    @cached_property
    def warnings(self) -> list[Warning]:
        """The warnings of the runs, each once."""
        return said(self.found.warnings)

    @property
    def requirements(self) -> PageTable:
        """Every requirement with the measured value, those that are not met first."""
        order = ("not met", "not decided", "met")
        ordered = sorted(self.found.verdicts, key=lambda one: order.index(one.status))
        return PageTable.of(verdicts_table(ordered))

    @property
    def facts(self) -> list[tuple[str, str]]:
        found = self.found
        told = [
            ("Customer", self.customer),
            ("Order", self.order),
            ("Testbed", found.testbed),
            ("Nodes", f"{len(found.nodes)}: {fold(found.nodes)}"),
            ("Required", found.expected_from),
            ("Started", date_text(found.started)),
            ("Took", duration_text(found.elapsed_s)),
            ("Tool", f"weft {__version__}"),
        ]
        return [(label, text) for label, text in told if text]

    @property
    def nodes(self) -> PageTable:
        """Nodes, with equal ones in one row."""
        groups: dict[tuple[tuple[str, str], ...], list[str]] = {}
        for node in self.record.nodes if self.record else []:
            groups.setdefault(tuple(node_facts(node)), []).append(node.name)
        labels = list(dict.fromkeys(label for facts in groups for label, _ in facts))
        rows = [
            [fold(names), *(dict(facts).get(label, "") for label in labels)]
            for facts, names in groups.items()
        ]
        return PageTable(["Nodes", *labels], rows)

    @property
    def measurements(self) -> PageTable:
        rows = [
            [
                run.directory.name,
                run.meta.plan.title,
                str(run.meta.plan.launches),
                f"{run.samples.num_rows:,}",
                shlex.join(
                    ["weft", "run", f"{run.directory.name}.toml", "--on", self.found.testbed]
                ),
            ]
            for run in self.runs
        ]
        return PageTable(["Measurement", "What", "Launches", "Samples", "How to repeat it"], rows)

    @property
    def repeat(self) -> str:
        return shlex.join(self.command)

    @cached_property
    def figures(self) -> list[Figure]:
        """Maps of all pairs, and the tree of limits."""
        runs = {run.meta.plan.name: run for run in self.runs if run.samples.num_rows}
        maps, trees = (
            ReportMaterial([runs[name]] if name in runs else []) for name in (SCREEN, LIMITS)
        )
        return [*heatmap_figures(maps, second_look(self.found)), *tree_figures(trees)]

    @property
    def again(self) -> PageTable:
        """Repeated measurements: rates, then latencies."""
        rows = [
            [
                f"{one.src} to {one.dst}" if one.unit == "Mb/s" else f"{one.src} and {one.dst}",
                "rate" if one.unit == "Mb/s" else f"latency of {one.size_bytes} B",
                "" if one.first is None else value_text(one.first, one.unit),
                text_of(one.alone, one.unit),
            ]
            for one in self.found.again
        ]
        return PageTable(["Pair", "What", "First, in a round with others", "Again, alone"], rows)

    @property
    def mail(self) -> str:
        """A text that can be mailed as it is."""
        found = self.found
        lines = [
            f"We measured {found.testbed} ({len(found.nodes)} nodes) {self.when} with weft {__version__}. "
            f"Result: {self.heading.lower()} ({found.counts}).",
            *(f"In doubt: {text}." for text in found.doubts),
        ]
        for number, one in enumerate(self.faults, 1):
            lines += ["", f"{number}. {' '.join([*sentences(one), *remarks(one)])}"]
            lines += [f"   Required: {verdict_text(verdict)}." for verdict in one.verdicts]
            for cause in one.causes[:2]:
                check = cause.check.replace("IFACE", self._interface(one))
                lines.append(f"   A likely cause: {cause.title}. To check: {check}")
        lines += [""] if self.undecided else []
        lines += [f"Not decided: {one.title}; {one.would_decide}." for one in self.undecided]
        return "\n".join([*lines, "", f"To repeat the measurement: {self.repeat}"])

    @property
    def when(self) -> str:
        """ "on 29 November 2026, 14:23 UTC"."""
        day = date_text(self.found.started)
        return f"on {day}" if day else ""

    def evidence(self, fault: ElementFault, verdict: RequirementVerdict) -> list[str]:
        """The evidence of a verdict that concerns the nodes of a fault."""
        about = re.compile("|".join(rf"\b{re.escape(node)}\b" for node in fault.nodes))
        return [text for text in verdict.evidence if about.search(text)] or list(verdict.evidence)

    def seen(self, fault: ElementFault) -> list[str]:
        """The facts that suggest the causes, each once."""
        told = [text for symptom in fault.symptoms for text in facts_text(symptom)]
        return list(dict.fromkeys(told))

    def command_text(self, fault: ElementFault, text: str) -> Markup:
        """A check or a remedy with commands as code, and the node's own interface name."""
        return code(text.replace("IFACE", self._interface(fault)))

    def _interface(self, fault: ElementFault) -> str:
        nodes = self.record.nodes if self.record else []
        mine = (node.interfaces[:1] for node in nodes if node.name in fault.nodes)
        return next((one[0]["name"] for one in mine if one and one[0]), "IFACE")

    def html(self) -> str:
        """The page as one file with embedded style and figures."""
        template = environment(_HERE).get_template("acceptance.html.j2")
        return template.render(
            page=self,
            version=__version__,
            verdict_text=verdict_text,
            most_causes=MOST_CAUSES,
            title_of=title_of,
            caption_of=caption_of,
            headline=headline,
            sentences=sentences,
            remarks=remarks,
            many_rows=MANY_ROWS,
            long_cell=LONG_CELL,
            status_class=lambda text: text.replace(" ", "-"),
        )

    def write(self, path: Path) -> Path:
        """Write the page; raises WorkError."""
        try:
            path.write_text(printable(self.html()), encoding="utf-8")
        except OSError as error:
            raise WorkError(
                f"{path}: cannot write the page: {error.strerror}", "free some space"
            ) from None
        return path


def write_page(found: AcceptanceResult, folder: Path) -> Path:
    """Write the page of an acceptance into its folder; raises WorkError."""
    request = read_json(folder / REQUEST_NAME, AcceptRequest, "damaged")
    record = None
    if (folder / RECORD_NAME).exists():
        record = read_json(folder / RECORD_NAME, ClusterRecord, "damaged")
    runs = [RunFolder.open(directory) for directory in found.runs]
    named = (request.title or "", request.customer or "", request.order or "")
    page = AcceptancePage(found, record, runs, command_of(request), *named)
    return page.write(folder / PAGE_NAME)


def command_of(request: AcceptRequest) -> list[str]:
    """The command that repeats an acceptance."""
    given = {
        "--on": request.testbed,
        "--expect": request.expect,
        "--fabric": request.fabric,
        # A lab that cannot run at scale 1 would choose another scale.
        "--scale": None
        if request.scale in (None, 1) and not request.notes
        else f"{request.scale:g}",
        "--nodes": request.nodes,
        "--ports": request.ports,
    }
    options = ((name, str(value)) for name, value in given.items() if value is not None)
    return ["weft", "accept", *(part for option in options for part in option)]


SLOW = ("rate-low", "asymmetry")
"""Symptoms that a map of rates shows."""


def second_look(found: AcceptanceResult) -> RemeasuredMap:
    """The second look of an acceptance; only faults are red on a map."""
    times = {
        (ends, one.size_bytes): one.alone.median
        for one in found.again
        if one.size_bytes
        for ends in ((one.src, one.dst), (one.dst, one.src))
    }
    return RemeasuredMap(
        {(one.src, one.dst): one.alone.median for one in found.again if one.unit == "Mb/s"},
        times,
        list(dict.fromkeys(_at_fault(found))),
    )


def _at_fault(found: AcceptanceResult) -> Iterator[Ends]:
    for fault in faults(found.verdicts):
        for one in fault.symptoms:
            if one.kind in SLOW:
                yield from _ends(one)


def _ends(one: Symptom) -> Iterator[Ends]:
    if one.facts.get("single_route"):
        yield one.nodes[0], one.nodes[-1]
    elif not one.facts.get("all_of_leaf"):
        for node in one.nodes:
            yield from node_ends(node, one.direction)
