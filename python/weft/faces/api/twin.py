"""Twins from Python: a measured network that can be simulated, and how far it can be trusted."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path

from weft.decisions.twin import build
from weft.decisions.twin.tables import parameters_table
from weft.decisions.twin.twin import FABRIC_NAME, TwinDocument, read_twin
from weft.faces.api.columns.table import Table
from weft.faces.api.columns.text import Said
from weft.faces.api.public.function import public
from weft.simulation.prediction.draws import Draws
from weft.simulation.prediction.intervals import Prediction, intervals
from weft.simulation.prediction.predict import PlannedWorkload


class Twin(Said):
    """A measured network. Made by `weft.twin` and `weft.open_twin`."""

    def __init__(self, folder: Path, found: TwinDocument, draws: Draws) -> None:
        self.folder, self.found, self.draws = folder, found, draws

    @property
    def fabric(self) -> Path:
        """The fabric file, for `sim:` and `lab:`."""
        return self.folder / FABRIC_NAME

    @property
    def parameters(self) -> Table:
        """Its numbers, with the ends of their 90 % intervals and whether they are known (shape: twin-parameters)."""
        return Table.of_results("parameters", parameters_table(self.found))

    @public
    def predict(self, plan: str | os.PathLike[str]) -> list[Prediction]:
        """Time and rate of each step and size of a plan, with 90 % intervals if the twin's errors are as on the
        patterns left out of its fit (too narrow with its warning `error-unknown`); raises RequestError."""
        return intervals(self.draws, PlannedWorkload(os.fspath(plan)))

    def lines(self) -> list[str]:
        """Its accuracy, then what it does not know."""
        unknown = [one for one in self.found.parameters if not one.is_identified]
        return [
            f"{self.folder}: {self.found.verdict}",
            *(f"not known: {one.name}: {one.why}" for one in unknown),
        ]


def twin(
    runs: Iterable[str | os.PathLike[str]],
    *,
    out: str | os.PathLike[str],
    draws: int = build.DRAWS,
    showing: Callable[[str], None] = lambda text: None,
) -> Twin:
    """Make a twin of a network from runs on it: `weft.twin(["runs/xray", "runs/signature"], out="twins/mine")`.

    runs: their folders, one of them of the plan xray. out: the twin's folder. draws: number of networks that represent
    the uncertainty. showing: is called with the progress. Raises RequestError if the runs are not of one network.
    """
    folder = Path(out)
    build.make_twin([os.fspath(run) for run in runs], folder, draws, showing)
    return open_twin(folder)


make_twin = twin
"""The name that it had before the command line's."""


def open_twin(folder: str | os.PathLike[str]) -> Twin:
    """The twin in a folder; raises RequestError if there is none, or its fabric file was changed."""
    path = Path(folder)
    found, document = read_twin(path)
    return Twin(path, found, found.draws_of(document))
