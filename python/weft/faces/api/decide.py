"""Which network to choose, from Python."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TypeAlias

from weft.base import catalog
from weft.base.errors import RequestError
from weft.decisions.decision.document import DesignDecision, DesignResult
from weft.decisions.decision.folder import carry_out, commands, read_decision
from weft.decisions.decision.prepare import PreparedRequest, prepare
from weft.decisions.decision.request import DecisionRequest, parse_request
from weft.decisions.decision.tables import designs_table
from weft.decisions.twin.open import open_draws
from weft.faces.api.columns.table import Table
from weft.faces.api.columns.text import Said
from weft.measure.execute.progress import Showing, silent
from weft.plan.load import toml_text

Designs: TypeAlias = str | os.PathLike[str] | Mapping[str, object]
"""A file of designs, a name in the catalogue, or a dictionary with the keys of such a file."""


class Decided(Said):
    """A decision in its folder. Made by `weft.decide`, or read by `weft.open_decision`."""

    def __init__(self, directory: Path, decision: DesignDecision) -> None:
        self.directory = directory
        self.decision = decision

    @property
    def chosen(self) -> DesignResult | None:
        """The chosen design; None if none keeps all constraints."""
        return next(
            (one for one in self.decision.designs if one.name == self.decision.chosen), None
        )

    @property
    def frontier(self) -> list[DesignResult]:
        """The designs that no other beats in both price and time, cheapest first."""
        return self.decision.on_frontier

    @property
    def designs(self) -> Table:
        """All designs with their prices and times (shape: designs)."""
        return Table.of_results("designs", designs_table(self.decision, self.decision.designs))

    def lines(self) -> list[str]:
        """The verdict, and the designs on the frontier."""
        return [self.decision.text, *(f"frontier: {one.name}" for one in self.frontier)]


def decide(
    designs: Designs,
    *,
    out: str | os.PathLike[str] | None = None,
    executor: str = "processes",
    resume: bool = False,
    showing: Showing = silent,
) -> Decided:
    """Simulate and price all designs of a file, and choose one; raises RequestError, WorkError.

    `out` is a folder, decisions/NAME by default; `resume` continues in it. `executor` is processes, processes:8, slurm,
    dask:ADDRESS or mpi. Because processes are started, a script must call it below `if __name__ == "__main__":`.
    """
    prepared, folder, text = _prepared(designs, out)
    with showing("designs") as reporter:
        found = carry_out(prepared, folder, executor, resume, text, reporter)
    return Decided(folder, found)


def list_tasks(designs: Designs, out: str | os.PathLike[str] | None, resume: bool) -> list[str]:
    """Commands that simulate what is missing, one for each part; `decide` with `resume` collects their results."""
    prepared, folder, _ = _prepared(designs, out)
    return commands(prepared, folder, resume)


def open_decision(directory: str | os.PathLike[str]) -> Decided:
    """The decision in a folder; raises RequestError."""
    return Decided(Path(directory), read_decision(Path(directory)))


def _prepared(
    designs: Designs, out: str | os.PathLike[str] | None
) -> tuple[PreparedRequest, Path, str]:
    request, text, name = _read(designs)
    twin = open_draws(request.twin) if request.twin else None
    if twin is not None and not Path(str(request.twin)).is_dir():
        raise RequestError(
            f"twin = {request.twin!r}: is no twin's folder", "weft twin RUN... makes one"
        )
    return prepare(request, twin), Path(out) if out else Path("decisions") / name, text


def _read(designs: Designs) -> tuple[DecisionRequest, str, str]:
    if isinstance(designs, Mapping):
        text = toml_text(designs)
        request = parse_request(text, "designs")
        return request, text, request.name or "designs"
    path = catalog.find("decision", os.fspath(designs))
    text, origin = catalog.read(path), catalog.shown(path)
    return parse_request(text, origin), text, path.stem
