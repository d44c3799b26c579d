"""The application ratio gamma: ranges as written by users, and files of measurements over it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

from weft.base.errors import RequestError
from weft.base.statistics import Floats

RATES = ("before_mbps", "after_mbps")
GAIN = "gain"
SIGMA = "sigma"

_LOWEST = {"gamma": 0.0, "before_mbps": 0.0, "after_mbps": 0.0, "gain": -1.0, "sigma": 0.0}
_HINT = (
    "a CSV or Parquet file with the columns gamma, before_mbps and after_mbps, or gamma and gain (0.3 is 30 %), "
    "with gain also sigma where it differs from row to row"
)


def read_gamma_points(file: str) -> dict[str, Floats]:
    """The columns by name: `gamma`, and RATES or `gain`, with or without `sigma`.

    Raises RequestError if there is no such table, a column is missing or a value is out of range.
    """
    table = _table(Path(file))
    wanted = _wanted(file, table.column_names)
    columns = {name: _numbers(file, table, name) for name in wanted}
    if len(columns["gamma"]) == 0:
        raise RequestError(f"{file}: no rows", _HINT)
    return columns


def is_rates(points: Mapping[str, Floats]) -> bool:
    """Whether the points are throughputs rather than gains."""
    return GAIN not in points


def _table(path: Path) -> pa.Table:
    read = pa.parquet.read_table if path.suffix == ".parquet" else pa.csv.read_csv
    try:
        return read(path)
    except FileNotFoundError:
        raise RequestError(f"{path}: no such file", _HINT) from None
    except (pa.ArrowInvalid, OSError) as error:
        reason = str(error).splitlines()[0]
        raise RequestError(f"{path}: cannot be read as a table: {reason}", _HINT) from None


def _wanted(file: str, found: list[str]) -> list[str]:
    """The columns to use: rates if there are both, else gains."""
    if "gamma" in found and all(name in found for name in RATES):
        return ["gamma", *RATES]
    if "gamma" in found and GAIN in found:
        return ["gamma", GAIN, *([SIGMA] if SIGMA in found else [])]
    raise RequestError(f"{file}: has the columns {', '.join(found) or '(none)'}", _HINT)


def _numbers(file: str, table: pa.Table, name: str) -> Floats:
    try:
        values: Floats = table[name].cast(pa.float64()).to_numpy().astype(np.float64)
    except pa.ArrowInvalid:
        raise RequestError(f"{file}: column {name}: not numbers", _HINT) from None
    lowest = _LOWEST[name]
    wrong = ~(np.isfinite(values) & (values >= lowest if name == "gamma" else values > lowest))
    if wrong.any():
        row = int(np.argmax(wrong))
        bound = f"{'at least' if name == 'gamma' else 'greater than'} {lowest:g}"
        raise RequestError(
            f"{file}: column {name}, row {row + 1}: {values[row]:g}", f"a number {bound} is needed"
        )
    return values


MOST_POINTS = 100_000

_RANGE_HINT = 'write LOW:HIGH or LOW:HIGH:STEP, such as "0:3.5" or "0:3.5:0.1"'
_INTERVALS = 50
"""Maximum number of intervals in a range without step."""


def gamma_range(text: str) -> Floats:
    """The gammas of a range, both ends included; raises RequestError if it is invalid.

    The default step is 1, 2 or 5 times a power of ten.
    """
    low, high, step = _range_numbers(text)
    if not 0 <= low < high:
        raise RequestError(f'gamma "{text}": not 0 <= LOW < HIGH', _RANGE_HINT)
    step = _round_step((high - low) / _INTERVALS) if step is None else step
    if step <= 0:
        raise RequestError(f'gamma "{text}": STEP is not greater than 0', _RANGE_HINT)
    if (high - low) / step > MOST_POINTS:
        raise RequestError(f'gamma "{text}": more than {MOST_POINTS} points', "take a larger STEP")
    count = math.ceil((high - low) / step - 1e-9)
    return np.append(low + step * np.arange(count), high)


def _range_numbers(text: str) -> tuple[float, float, float | None]:
    try:
        low, high, *steps = (float(part) for part in text.split(":"))
    except ValueError:
        raise RequestError(f'gamma "{text}": not a range', _RANGE_HINT) from None
    if len(steps) > 1 or not all(map(math.isfinite, (low, high, *steps))):
        raise RequestError(f'gamma "{text}": not a range', _RANGE_HINT)
    return low, high, steps[0] if steps else None


def _round_step(smallest: float) -> float:
    """The smallest of 1, 2 and 5 times a power of ten that is at least `smallest`."""
    decade = 10.0 ** math.floor(math.log10(smallest))
    return next(
        step
        for step in (decade, 2 * decade, 5 * decade, 10 * decade)
        if step >= smallest * (1 - 1e-9)
    )
