"""A table for other libraries: Arrow, with the unit of each column in its name."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar

import pyarrow as pa

from weft.base.catalog import known_names
from weft.base.errors import RequestError
from weft.base.interval import Interval
from weft.base.table import ResultColumn, ResultTable, Value, ends
from weft.faces.api.columns.files import write_csv, write_parquet
from weft.faces.api.columns.text import html_table, text_table
from weft.faces.api.public.function import public

if TYPE_CHECKING:
    import numpy.typing as npt
    import pandas
    import polars

T = TypeVar("T")

TYPES = {
    str: pa.string(),
    int: pa.int64(),
    float: pa.float64(),
    bool: pa.bool_(),
    Interval: pa.float64(),
    tuple: pa.list_(pa.string()),
}

SHOWN_ROWS = 10
"""Rows that are printed; `to_pandas()` and the others have all."""


class Table:
    """A table that pandas, polars, DuckDB and other users of Arrow's PyCapsule interface read without a copy.

    `len(table)` is its number of rows, `table["size_bytes"]` a column as a NumPy array (shape: rows).
    `polars.DataFrame(table)` (not `polars.from_arrow`, which makes one column of structs) or
    `duckdb.sql("select * from table")` (of `table.to_arrow()`) work directly.
    """

    SCHEMA: ClassVar[pa.Schema]
    """Its columns, which exist without rows too."""

    def __init__(self, table: pa.Table, name: str = "") -> None:
        self._table = table
        self._name = name or type(self).__name__
        self.elsewhere: Callable[[], str] = str
        """Says, of a table without rows, which table has them."""

    @classmethod
    def of_results(cls, name: str, results: ResultTable) -> Self:
        """A table of results; the metadata of each field has its heading and unit."""
        fields = [field for column in results.columns for field in _fields(column)]
        arrays = [
            pa.array(part, TYPES[column.type])
            for column in results.columns
            for part in _parts(column, results.values(column.name))
        ]
        return cls(pa.table(arrays, pa.schema(fields)), name)

    @classmethod
    def of_rows(cls, rows: Iterable[Mapping[str, object]]) -> Self:
        """A table of this kind from rows; an interval becomes three columns, and keys that are no column are
        ignored."""
        return cls(pa.Table.from_pylist(list(map(_flat, rows)), cls.SCHEMA))

    @classmethod
    def of_objects(cls, objects: Iterable[T], **computed: Callable[[T], object]) -> Self:
        """A table of this kind with a row for each object, from its attributes and from functions of it."""
        return cls.of_rows(
            vars(one) | {name: read(one) for name, read in computed.items()} for one in objects
        )

    @classmethod
    def of_columns(cls, columns: Mapping[str, object]) -> Self:
        """A table of this kind from arrays by name."""
        return cls(pa.table([columns[name] for name in cls.SCHEMA.names], cls.SCHEMA))

    @property
    def columns(self) -> list[str]:
        """The names of its columns, units included."""
        return list(self._table.column_names)

    def __len__(self) -> int:
        return int(self._table.num_rows)

    def __getitem__(self, column: str) -> npt.NDArray[Any]:
        """A column as a NumPy array; raises RequestError for an unknown name."""
        if column not in self.columns:
            raise RequestError(f"no column {column!r}", known_names(str(column), self.columns))
        array: npt.NDArray[Any] = self._table[column].to_numpy()
        return array

    def rows(self) -> Iterator[dict[str, object]]:
        """Each row as a dictionary."""
        for batch in self._table.to_batches(max_chunksize=10_000):
            yield from batch.to_pylist()

    def to_arrow(self) -> pa.Table:
        """The pyarrow table itself."""
        return self._table

    def to_pandas(self) -> pandas.DataFrame:
        """A pandas data frame; raises RequestError if pandas is not installed."""
        _needed("pandas")
        frame: pandas.DataFrame = self._table.to_pandas()
        return frame

    def to_polars(self) -> polars.DataFrame:
        """A polars data frame; raises RequestError if polars is not installed."""
        frame: polars.DataFrame = _needed("polars").DataFrame(self._table)
        return frame

    @public
    def to_csv(self, path: str | os.PathLike[str]) -> Path:
        """Write it as CSV, a heading of the columns' names first, and return the path; raises WorkError."""
        return write_csv(self._table, Path(path))

    @public
    def to_parquet(self, path: str | os.PathLike[str]) -> Path:
        """Write it as Parquet and return the path; fields keep their `label` and `unit`. Raises WorkError."""
        return write_parquet(self._table, Path(path))

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """The table as a capsule, by Arrow's PyCapsule interface."""
        return self._table.__arrow_c_stream__(requested_schema)

    def __arrow_c_schema__(self) -> object:
        """Its schema as a capsule, by Arrow's PyCapsule interface."""
        return self._table.schema.__arrow_c_schema__()

    def __repr__(self) -> str:
        if not len(self) and (elsewhere := self.elsewhere()):
            return f"{self._title}: {elsewhere}"
        return f"{self._title}\n{text_table(self.columns, self._head)}"

    def _repr_html_(self) -> str:
        return html_table(self._title, self.columns, self._head)

    @property
    def _title(self) -> str:
        more = f", the first {SHOWN_ROWS}" if len(self) > SHOWN_ROWS else ""
        return f"{self._name}: {len(self):,} rows{more}"

    @property
    def _head(self) -> list[list[Any]]:
        return [list(row.values()) for row in self._table.slice(0, SHOWN_ROWS).to_pylist()]


def interval(name: str) -> dict[str, pa.DataType]:
    """The columns of an interval such as rate_mbps: rate_mbps (the median), rate_low_mbps, rate_high_mbps."""
    return dict.fromkeys(ResultColumn(name, "", Interval).parts, pa.float64())


def _fields(column: ResultColumn) -> Iterator[pa.Field]:
    metadata = {"label": column.label, "unit": column.unit if column.factor == 1 else "1"}
    return (pa.field(name, TYPES[column.type], metadata=metadata) for name in column.parts)


def _parts(column: ResultColumn, values: Sequence[Value]) -> Iterable[Sequence[Any]]:
    """The values; for intervals the medians, the lower ends and the upper ends."""
    if column.type is not Interval:
        return [values]
    return [[ends(value)[part] for value in values] for part in range(3)]


def _flat(row: Mapping[str, object]) -> dict[str, object]:
    """The row with the ends of its intervals in columns of their own."""
    found = dict(row)
    for name, value in row.items():
        if isinstance(value, Interval):
            three = (value.median, value.low, value.high)
            found |= zip(ResultColumn(name, "", Interval).parts, three, strict=True)
    return found


def _needed(name: str) -> ModuleType:
    try:
        return import_module(name)
    except ImportError:
        hint = f"pip install {name}, or take to_arrow()"
        raise RequestError(f"{name} is not installed", hint) from None
