"""Throughputs or gains measured over the application ratio gamma, as a table in a file."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

from weft.errors import RequestError
from weft.statistics import Floats

RATES = ("before_mbps", "after_mbps")
GAIN = "gain"
SIGMA = "sigma"

_LOWEST = {"gamma": 0.0, "before_mbps": 0.0, "after_mbps": 0.0, "gain": -1.0, "sigma": 0.0}
_HINT = (
    "a CSV or Parquet file with the columns gamma, before_mbps and after_mbps, or gamma and gain (0.3 is 30 %), "
    "with gain also sigma where it differs from row to row"
)


def read_gamma_points(file: str) -> dict[str, Floats]:
    """The columns by name: `gamma`, and RATES or `gain` with or without `sigma`.

    Raises RequestError when there is no such table, when a column is missing or a value cannot be.
    """
    table = _table(Path(file))
    wanted = _wanted(file, table.column_names)
    columns = {name: _numbers(file, table, name) for name in wanted}
    if len(columns["gamma"]) == 0:
        raise RequestError(f"{file}: no rows", _HINT)
    return columns


def is_rates(points: Mapping[str, Floats]) -> bool:
    """Whether the points are throughputs, not gains."""
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
    """Which columns are used: rates where there are both, else gains."""
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
