"""prediction.json: the prediction of a run, made before it began."""

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
    """One kernel, named as in `weft.understand.kinds.kernel_time.KernelTime`. `compute_s` is the part of the median
    time in which a node computes, None if unknown. Without interval, both ends of `time_s` are the median."""

    step: str
    variant: str
    size_bytes: int
    time_s: Interval
    compute_s: float | None


class ComputeTime(Struct, frozen=True):
    """The source of the compute times of a step, in words."""

    step: str
    source: str


class UnpredictedStep(Struct, frozen=True):
    """A step that could not be simulated, and why."""

    step: str
    why: str


class RunPrediction(Struct, frozen=True):
    """The contents of prediction.json. `sources` are where the network's parameters are from, `network` where those
    were measured; `draws` networks represent their uncertainty, and intervals have probability `level`. `no_interval`
    says why there are none; else it is empty."""

    schema: str
    kind: Literal["runs", "twin", "fabric"]
    sources: list[str]
    network: str
    draws: int
    level: float
    no_interval: str
    kernels: list[PredictedKernel]
    compute: list[ComputeTime]
    not_predicted: list[UnpredictedStep]
    notes: list[Warning]


def read_prediction(folder: Path) -> RunPrediction | None:
    """Read the prediction of a run folder; None if there is none. Raises RequestError if it cannot be read."""
    path = folder / PREDICTION_NAME
    try:
        found = read_json(path, RunPrediction, hint="move it away to see the run without it")
    except FileNotFoundError:
        return None
    if found.schema != SCHEMA:
        raise RequestError(f"{path}: has schema {found.schema!r}, not {SCHEMA!r}")
    return found
