"""A table of results: typed columns with units, and the text of cells wherever it is shown."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from weft.base.interval import Interval
from weft.base.quantity import number

Shown = Literal["everywhere", "median", "page", "data"]
Value = str | float | Interval | None
"""The contents of a cell; None if unknown."""

UNITS = {
    "bytes": "B",
    "ns": "ns",
    "us": "µs",
    "ms": "ms",
    "s": "s",
    "ps": "ps",
    "mbps": "Mb/s",
    "gflops": "GFlop/s",
    "pct": "%",
    "share": "%",
}
"""Suffixes of column names, and the units shown for them."""


@dataclass(frozen=True)
class ResultColumn:
    """`name` is the column's name in Arrow and ends with its unit, `label` is its heading; `read` gets the value from a
    result.

    An interval with unknown ends may be given as a number. `spec` is the format if not four digits. `shown` is "median"
    to omit ends of intervals on a terminal, "page" to omit the column there, "data" for Arrow only, as the title has
    the value. `meaning` is a longer description.
    """

    name: str
    label: str
    type: type = float
    read: Callable[[Any], Value] | None = None
    spec: str = ""
    shown: Shown = "everywhere"
    meaning: str = ""

    @property
    def unit(self) -> str:
        """Such as "Mb/s" for rate_mbps; "" if the name has no unit."""
        return UNITS.get(self.name.rpartition("_")[2], "")

    @property
    def factor(self) -> int:
        """Shown value over stored value: a share of 0.2 is shown as 20 %."""
        return 100 if self.name.endswith("_share") else 1

    @property
    def heading(self) -> str:
        """The label and the unit; nothing for yes-or-no columns, whose cells have the label."""
        return "" if self.type is bool else ", ".join(filter(None, (self.label, self.unit)))

    @property
    def parts(self) -> tuple[str, ...]:
        """Names of its columns in Arrow: for an interval such as rate_mbps, also rate_low_mbps and rate_high_mbps."""
        if self.type is not Interval:
            return (self.name,)
        base, _, end = self.name.rpartition("_") if self.unit else (self.name, "", "")
        end = f"_{end}" if end else ""
        return self.name, f"{base}_low{end}", f"{base}_high{end}"

    def of(self, result: Any) -> Value:
        """The value of a result, by `read` or else the attribute with this name."""
        value: Value = self.read(result) if self.read else getattr(result, self.name)
        return value

    def text(self, value: str | float | None) -> str:
        """A value, or one end of an interval, without unit."""
        if value is None:
            return ""
        if isinstance(value, bool):
            return self.label if value else ""
        if isinstance(value, str | int):
            return str(value)
        scaled = self.factor * value
        return (
            format(scaled, self.spec or ".1f") if self.spec or self.unit == "%" else number(scaled)
        )

    def cell(self, value: Value) -> str:
        """A value, with the ends of its interval in brackets if they differ from the median; whole numbers have
        separators for thousands."""
        if isinstance(value, int) and not isinstance(value, bool):
            return f"{value:,}"
        median, low, high = map(self.text, ends(value))
        return median if low == high else f"{median} ({low} to {high})"


@dataclass(frozen=True)
class _Across(ResultColumn):
    """A column of a pivoted table; its unit is in the title."""

    @property
    def heading(self) -> str:
        return self.label


@dataclass(frozen=True)
class ResultTable:
    """`notes` are sentences, one for each row, shown on a page; `remarks` are shown below the table."""

    title: str
    columns: Sequence[ResultColumn]
    rows: Sequence[Sequence[Value]]
    notes: Sequence[str] = ()
    remarks: Sequence[str] = ()

    @classmethod
    def of(
        cls,
        title: str,
        columns: Sequence[ResultColumn],
        results: Iterable[Any],
        remarks: Sequence[str] = (),
    ) -> ResultTable:
        """A row for each result."""
        rows = [[column.of(one) for column in columns] for one in results]
        return cls(title, columns, rows, remarks=remarks)

    def values(self, name: str) -> list[Any]:
        """The values of a column."""
        at = self._at(name)
        return [row[at] for row in self.rows]

    def where(self, name: str, *wanted: Value) -> ResultTable:
        """The rows with one of these values in a column."""
        at = self._at(name)
        return replace(self, rows=[row for row in self.rows if row[at] in wanted], notes=())

    def groups(self, name: str) -> Iterator[ResultTable]:
        """Tables of the rows with each value of a column, in order."""
        return (self.where(name, value) for value in dict.fromkeys(self.values(name)))

    def pivoted(self, down: str, across: str, value: str, title: str) -> ResultTable:
        """A table with one row for each value of column `down` and one column for each value of `across`."""
        first, other, held = (self.columns[self._at(name)] for name in (down, across, value))
        heads, names = (list(dict.fromkeys(self.values(name))) for name in (across, down))
        places = zip(self.values(down), self.values(across), strict=True)
        cells = dict(zip(places, self.values(value), strict=True))
        columns = [
            _Across(held.name, other.text(_median(head)), held.type, spec=held.spec, shown="median")
            for head in heads
        ]
        rows = [[name, *(cells.get((name, head)) for head in heads)] for name in names]
        return ResultTable(title, [first, *columns], rows)

    @classmethod
    def joined(
        cls, tables: Sequence[tuple[str, ResultTable]], title: str = "", label: str = "run"
    ) -> ResultTable:
        """Join tables with equal columns; the new first column has the name of each."""
        if not tables:
            return cls(title, (), ())
        rows = [(name, *row) for name, table in tables for row in table.rows]
        return cls(title, [ResultColumn(label, label, str), *tables[0][1].columns], rows)

    def has_ends(self, column: ResultColumn) -> bool:
        """Whether any value of a column has an interval that is not shown as a point."""
        found = map(ends, self.values(column.name))
        return any(column.text(low) != column.text(high) for _, low, high in found)

    def without(self, *left_out: str) -> ResultTable:
        """Without the columns with one of these `shown`, and those that are empty in all rows."""
        kept = [
            at
            for at, column in enumerate(self.columns)
            if column.shown not in left_out and any(column.cell(row[at]) for row in self.rows)
        ]
        columns = [self.columns[at] for at in kept]
        return replace(self, columns=columns, rows=[[row[at] for at in kept] for row in self.rows])

    def without_zeros(self, of_type: type) -> ResultTable:
        """Without the columns of a type that are 0 in all rows; a remark names them."""
        zeros = [
            one
            for one in self.without("data", "page").columns
            if one.type is of_type and not any(map(_median, self.values(one.name)))
        ]
        kept = [self._at(one.name) for one in self.columns if one not in zeros]
        said = f"{', '.join(one.label for one in zeros)}: all 0"
        return replace(
            self,
            columns=[self.columns[at] for at in kept],
            rows=[[row[at] for at in kept] for row in self.rows],
            remarks=[*self.remarks, *[said] * bool(zeros)],
        )

    def titled(self, title: str) -> ResultTable:
        """The table with another title."""
        return replace(self, title=title)

    def _at(self, name: str) -> int:
        return next(at for at, column in enumerate(self.columns) if column.name == name)


def ends(value: Value) -> tuple[str | float | None, str | float | None, str | float | None]:
    """The median and the ends of an interval; the ends are None if unknown."""
    if isinstance(value, Interval):
        return value.median, value.low, value.high
    return value, None, None


def _median(value: Value) -> str | float | None:
    return ends(value)[0]
