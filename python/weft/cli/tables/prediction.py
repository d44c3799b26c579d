"""Predictions of runs as text: before a run, and beside what it measured."""

from __future__ import annotations

from itertools import groupby

from rich.console import Console

from weft.cli.tables.layout import plain_table, titled
from weft.diagnosis.predictions import Held, kernel_name
from weft.quantity import format_us
from weft.report.prediction import ratio_text, remarks, time_text, verdict_text
from weft.runs.predicted import RunPrediction


def print_prediction(prediction: RunPrediction, console: Console) -> None:
    """What a run will take, a table for each step, and what that is made from."""
    has_intervals = not prediction.no_interval
    for step, kernels in groupby(prediction.kernels, lambda one: one.step):
        rows = [
            [kernel_name(one), time_text(one.time_s, has_intervals), _compute(one.compute_s)]
            for one in kernels
        ]
        titled(console, f"{step}: predicted", plain_table("", "time", "of it computing", rows=rows))
    for line in remarks(prediction):
        console.print(line, soft_wrap=True)
    for note in prediction.notes:
        console.print(f"warning: {note.message} [{note.code}]", soft_wrap=True)


def print_held(held: Held | None, console: Console) -> None:
    """The middle of the same beside what was measured; nothing where nothing was predicted."""
    if held is None:
        return
    has_intervals = not held.prediction.no_interval
    for step, kernels in groupby(held.kernels, lambda one: one.predicted.step):
        rows = [
            [
                one.name,
                format_us(1e6 * one.predicted.time_s.median),
                format_us(1e6 * one.measured.time_s.median) if one.measured else "",
                ratio_text(one, has_intervals),
                verdict_text(one),
            ]
            for one in kernels
        ]
        table = plain_table("", "predicted", "measured", "ratio", "interval", rows=rows)
        for column in table.columns[1:]:
            column.no_wrap = True
        titled(console, f"{step}: predicted and measured", table)
    for line in remarks(held.prediction):
        console.print(line, soft_wrap=True)


def _compute(compute_s: float | None) -> str:
    return format_us(1e6 * compute_s) if compute_s else ""
