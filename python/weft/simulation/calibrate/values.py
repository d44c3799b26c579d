"""The file of measured values and free keys that `weft machine fit` reads."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from msgspec import field

from weft.base import catalog
from weft.base.amount import ByteCount, Share, read_amount
from weft.base.errors import RequestError
from weft.base.toml_file import TomlFile, TomlTable
from weft.runs.folder import RunFolder
from weft.simulation.calibrate.simulated import KINDS, SIZES, Library, Quantity, SimulatedQuantity
from weft.understand.curve.points import CurvePoint, points

ERROR = Share(0.05)
"""The relative standard error of a value that states none."""
_LEAST_ERROR = 0.01
_SIZES = 8
"""The number of points used from each curve of a run, evenly spaced in the logarithm of size."""
_NORMAL = 1.96
"""The half-width of a 95 % interval in standard errors."""

Plain = str | int | float | bool


class _Entry(TomlTable, frozen=True):
    quantity: Quantity
    measured: str | float
    name: str | None = None
    size: ByteCount | None = None
    placement: str | None = None
    part: str | None = None
    mpi: Library | None = None
    error: Share = ERROR
    keys: dict[str, Plain] = field(name="with", default_factory=dict)


class _RunEntry(TomlTable, frozen=True):
    run: str
    placement: str | None = None
    sizes: tuple[ByteCount, ...] = ()
    keys: dict[str, Plain] = field(name="with", default_factory=dict)


class _Document(TomlTable, frozen=True):
    free: tuple[str, ...] | dict[str, tuple[str | float, str | float]] = ()
    values: tuple[_Entry, ...] = ()
    runs: tuple[_RunEntry, ...] = ()


@dataclass(frozen=True)
class MeasuredValue:
    """A measured value in base units (s, bit/s, share from 0 to 1), with its relative standard error."""

    name: str
    question: SimulatedQuantity
    measured: float
    error: float


@dataclass(frozen=True)
class ValuesFile:
    """The content of a file: free keys, each with its range (None if not given), and the values for the fit."""

    free: Mapping[str, tuple[str, str] | None]
    values: list[MeasuredValue]


def read_values(name: str) -> ValuesFile:
    """The values and free keys of a TOML file; raises RequestError with file and key."""
    path = Path(name)
    if not path.is_file():
        raise RequestError(f"{name}: no such file", "give a TOML file of measured values")
    file = TomlFile(catalog.read(path), name, "docs/fit-a-machine.md has an example")
    document = file.decode(_Document)
    values = [_value(file, at, entry) for at, entry in enumerate(document.values)]
    for entry in document.runs:
        values += _of_run(path.parent, entry)
    if not values:
        raise RequestError(
            f"{name}: no values", "add [[values]] with what was measured, or [[runs]]"
        )
    free = document.free if isinstance(document.free, dict) else dict.fromkeys(document.free)
    ranges = {key: (str(ends[0]), str(ends[1])) if ends else None for key, ends in free.items()}
    return ValuesFile(ranges, values)


def _value(file: TomlFile, at: int, entry: _Entry) -> MeasuredValue:
    key = f"values[{at}].measured"
    size = entry.size.text if entry.size else SIZES[entry.quantity]
    measured = read_amount(entry.measured, file.where(key), KINDS[entry.quantity]).worth
    if not measured > 0:
        raise file.wrong(key, "must be more than 0")
    if entry.part and KINDS[entry.quantity] in ("time", "rate"):
        raise file.wrong(f"values[{at}].part", f"{entry.quantity} is not of a part", "leave it out")
    question = SimulatedQuantity(
        entry.quantity, size, entry.placement, _keys(entry.keys), entry.part, entry.mpi
    )
    return MeasuredValue(entry.name or _name(question), question, measured, float(entry.error))


def _name(question: SimulatedQuantity) -> str:
    parts = (question.placement, question.part, question.mpi, question.quantity, question.size)
    return " ".join(filter(None, parts))


def _keys(given: Mapping[str, Plain]) -> Mapping[str, str]:
    texts = {True: "true", False: "false"}
    return {k: texts[v] if isinstance(v, bool) else str(v) for k, v in given.items()}


def _of_run(folder: Path, entry: _RunEntry) -> Iterator[MeasuredValue]:
    """Some points of a run between two nodes, with errors from their intervals; raises RequestError if it has none."""
    run = RunFolder.open(folder / entry.run)
    wanted = [float(size) for size in entry.sizes]
    known = [one for one in points(run) if _is_simulated(one)]
    chosen = [one for one in known if one.size_bytes in wanted] if wanted else _spread(known)
    if not chosen:
        sizes = sorted({one.size_bytes for one in known})
        raise RequestError(
            f"{entry.run}: no ping-pong or stream over TCP or MPI at these sizes",
            f"it has {sizes or 'none'}",
        )
    return (_of_point(one, entry, _library(run, one)) for one in chosen)


def _is_simulated(point: CurvePoint) -> bool:
    is_message = point.pattern in ("pingpong", "stream") and point.size_bytes > 0
    return is_message and point.transport in ("tcp", "mpi")


def _library(run: RunFolder, point: CurvePoint) -> Library | None:
    if point.transport != "mpi":
        return None
    return run.meta.plan.steps[point.step].options.mpi or "openmpi"


def _spread(known: list[CurvePoint]) -> list[CurvePoint]:
    """Points of each step, about evenly spaced in the logarithm of size."""
    chosen = []
    for step in sorted({one.step for one in known}):
        mine = [one for one in known if one.step == step]
        logs = np.log([one.size_bytes for one in mine])
        at = {int(np.abs(logs - x).argmin()) for x in np.linspace(logs[0], logs[-1], _SIZES)}
        chosen += [mine[index] for index in sorted(at)]
    return chosen


def _of_point(point: CurvePoint, entry: _RunEntry, mpi: Library | None) -> MeasuredValue:
    interval = point.latency_us or point.throughput_mbps
    worth = interval.median * (1e-6 if point.latency_us else 1e6)
    quantity: Quantity = "latency" if point.latency_us else "stream"
    half = (interval.high - interval.low) / 2 / interval.median / _NORMAL
    error = max(_LEAST_ERROR, half if math.isfinite(half) else 0.0)
    keys = _keys(entry.keys)
    question = SimulatedQuantity(quantity, f"{point.size_bytes} B", entry.placement, keys, mpi=mpi)
    return MeasuredValue(f"{entry.run} {_name(question)}", question, worth, error)
