"""prediction.json: what was said of a run before it began."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from msgspec import Struct

from weft.base.errors import RequestError
from weft.base.files.text_file import read_json
from weft.base.interval import Interval
from weft.runs.meta import Warning

SCHEMA = "weft-prediction/1"
PREDICTION_NAME = "prediction.json"


class PredictedKernel(Struct, frozen=True):
    """One kernel, named as `weft.understand.summary.kernels.KernelTime` does. `compute_s` is what a node computes
    of the time in the
    middle, None where that is not known. Without an interval the ends of `time_s` are its middle."""

    step: str
    variant: str
    size_bytes: int
    time_s: Interval
    compute_s: float | None


class ComputeTime(Struct, frozen=True):
    """Where the time that nodes of a step compute is from, in words."""

    step: str
    source: str


class NotPredicted(Struct, frozen=True):
    """A step that could not be simulated, and why."""

    step: str
    why: str


class RunPrediction(Struct, frozen=True):
    """What prediction.json holds. `sources` are what the network is known from, `network` where that was measured;
    `draws` networks stand for what is not known of it, and intervals hold with probability `level`. Where there are
    none, `no_interval` says why; else it is empty."""

    schema: str
    kind: Literal["runs", "twin", "fabric"]
    sources: list[str]
    network: str
    draws: int
    level: float
    no_interval: str
    kernels: list[PredictedKernel]
    compute: list[ComputeTime]
    not_predicted: list[NotPredicted]
    notes: list[Warning]


def read_prediction(folder: Path) -> RunPrediction | None:
    """What a run folder says was predicted, None where nothing was; raises RequestError where it cannot be read."""
    path = folder / PREDICTION_NAME
    try:
        found = read_json(path, RunPrediction, hint="move it away to see the run without it")
    except FileNotFoundError:
        return None
    if found.schema != SCHEMA:
        raise RequestError(f"{path}: has schema {found.schema!r}, not {SCHEMA!r}")
    return found
