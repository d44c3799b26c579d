"""The folder of a decision: the request, the simulations, and the result."""

from __future__ import annotations

import shlex
from concurrent.futures import Executor
from pathlib import Path

from msgspec.structs import replace

from weft.decisions.decision.conclusion import conclude
from weft.decisions.decision.document import DesignDecision
from weft.decisions.decision.prepare import PreparedRequest
from weft.decisions.decision.routing.starved import slow_ones
from weft.decisions.twin.open import run_warnings
from weft.measure.execute.progress import Reporter
from weft.runs.columns.table_file import write_table
from weft.runs.run_warnings import doubts
from weft.runs.work_document import WorkDocument, fresh_folder, refuse_taken, write
from weft.simulation.sweep.executors.open import open_executor
from weft.simulation.sweep.folder import SweepFolder
from weft.simulation.sweep.row import SweepRow, table_of
from weft.simulation.sweep.sweep import sweep
from weft.simulation.sweep.work_list import WorkList

DECISION = WorkDocument("decision.json", DesignDecision, "weft decide")
REQUEST_NAME = "designs.toml"
ROWS_NAME = "rows.parquet"


def carry_out(
    prepared: PreparedRequest,
    out: Path,
    executor: str,
    is_resumed: bool,
    text: str,
    reporter: Reporter,
) -> DesignDecision:
    """Simulate what the folder lacks, decide, and write both; raises RequestError, WorkError."""
    folder = _opened(out, is_resumed)
    with fresh_folder(out):
        with open_executor(executor, folder) as there:
            write(out / REQUEST_NAME, text.encode())
            rows = simulate(prepared, folder, there, reporter)
        found = _with_warnings(conclude(prepared, rows), prepared.request.twin)
        write_table(table_of(rows), out / ROWS_NAME)
        DECISION.write(out, found)
    return found


def _with_warnings(found: DesignDecision, twin: str | None) -> DesignDecision:
    """The decision with the warnings of the twin's runs, which its text must state."""
    warnings = run_warnings(twin) if twin else ()
    told = (f"In doubt: {text}, in the twin's runs." for text in doubts(warnings))
    text = " ".join([found.text, *told])
    return replace(found, text=text, warnings=(*found.warnings, *warnings))


def simulate(
    prepared: PreparedRequest,
    folder: SweepFolder,
    there: Executor,
    reporter: Reporter | None = None,
) -> list[SweepRow]:
    """All workloads on all designs, then other routings where hosts get a small share; raises WorkError."""
    rows = sweep(folder, prepared.work, there, reporter)
    by_task: dict[str, list[SweepRow]] = {}
    for row in rows:
        by_task.setdefault(row.task, []).append(row)
    more = dict.fromkeys(one.other for one in slow_ones(prepared, by_task) if one.other)
    if not more:
        return rows
    # Chunks keep their numbers, since new tasks are appended.
    return sweep(folder, WorkList((*prepared.work.tasks, *more)), there, reporter)


def commands(prepared: PreparedRequest, out: Path, is_resumed: bool) -> list[str]:
    """A command for each chunk that the folder lacks, for any scheduler; nothing is simulated."""
    folder = _opened(out, is_resumed)
    work = prepared.work
    with fresh_folder(out):
        folder.begin(work)
    where = shlex.quote(str(out.resolve()))
    return [f"weft sweep-task {where} {chunk.index}" for chunk in folder.missing(work)]


def read_decision(directory: Path) -> DesignDecision:
    """Read a decision; raises RequestError if there is none."""
    return DECISION.read(directory)


def _opened(out: Path, is_resumed: bool) -> SweepFolder:
    if not is_resumed:
        refuse_taken(out, f"weft decide DESIGNS --out {out} --resume")
    return SweepFolder(out)
