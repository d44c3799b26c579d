"""Opens the subject of a prediction by name: a twin's folder, or a fabric."""

from __future__ import annotations

from pathlib import Path

from weft.decisions.twin.twin import read_twin
from weft.network.fabrics.document import FabricDocument
from weft.plan.plan import Plan
from weft.runs.run_warnings import RunWarning
from weft.simulation.prediction.draws import Draws


def open_draws(name: str) -> Draws:
    """A twin's draws, or a fabric, which is certain; raises RequestError for anything else."""
    if Path(name).is_dir():
        twin, document = read_twin(Path(name))
        return twin.draws_of(document)
    return Draws.of_fabric(FabricDocument.read(name))


def run_warnings(name: str) -> tuple[RunWarning, ...]:
    """The warnings of a twin's runs; empty for a fabric."""
    return tuple(read_twin(Path(name))[0].run_warnings) if Path(name).is_dir() else ()


def in_sample(name: str, plan: Plan) -> list[str]:
    """The steps of a plan to which a twin was fitted, so that predicting them proves nothing; empty for a fabric."""
    if not Path(name).is_dir():
        return []
    twin, _ = read_twin(Path(name))
    return twin.in_sample(plan)
