"""Predictions of runs as text: before a run, and compared with its measurements."""

from __future__ import annotations

from rich.console import Console

from weft.base.table import ResultTable
from weft.faces.cli.tables.layout import drawn, titled
from weft.runs.predicted import RunPrediction
from weft.understand.summary.predictions import PredictionCheck
from weft.understand.tables.predictions import held_table, predicted_table


def print_prediction(prediction: RunPrediction, console: Console) -> None:
    """Print the prediction for a run, with a table for each step, and its basis."""
    _print_steps(predicted_table(prediction), console)
    for note in prediction.notes:
        console.print(f"warning: {note.message} [{note.code}]", soft_wrap=True)


def print_held(held: PredictionCheck | None, console: Console) -> None:
    """Print the prediction with the measurements; nothing if there is no prediction."""
    if held is not None:
        _print_steps(held_table(held), console)


def _print_steps(whole: ResultTable, console: Console) -> None:
    for step in whole.groups("step"):
        name = step.values("step")[0]
        titled(console, f"{name}: {whole.title}", drawn(step, console.width))
    for line in whole.remarks:
        console.print(line, soft_wrap=True)
