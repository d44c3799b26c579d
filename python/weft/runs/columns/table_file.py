"""Tables as Parquet files with checksums that are verified when read."""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from weft.base.errors import RequestError, message_of
from weft.base.files.fresh_file import fresh_file
from weft.base.files.regular_file import open_file
from weft.base.files.text_file import ContentError, parse_json
from weft.runs.columns.arrow_limits import check_table
from weft.runs.columns.tables import added_later

GROUP_ROWS = 65536
"""A row group ends with the first phase after this many rows: a damaged byte costs one group."""

_CHECKSUMS = b"weft.crc32"
"""Key in the file's metadata: the checksum of each row group. Parquet's own checksums cover pages, but not the metadata
that locates them."""

ARROW_ERRORS = (pa.ArrowException, OSError, KeyError, ValueError, OverflowError, MemoryError)
"""Exceptions of Arrow for bytes that are no table."""


@dataclass(frozen=True)
class Readable:
    """The rows with correct checksums, and a description of the damage to the others."""

    table: pa.Table
    damage: str = ""


def write_table(table: pa.Table, path: Path, **encoding: object) -> None:
    """Write a table atomically and sync it to disk; `encoding` is passed to pyarrow's ParquetWriter."""
    temporary = path.with_name(path.name + ".new")
    with fresh_file(temporary) as file:
        sums = []
        with pq.ParquetWriter(file, table.schema, write_page_checksum=True, **encoding) as writer:
            for group in _groups(table):
                writer.write_table(group, row_group_size=max(1, group.num_rows))
                sums.append(checksum(group))
            writer.add_key_value_metadata({_CHECKSUMS: json.dumps(sums)})
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)


def read_table(path: Path, schema: pa.Schema) -> pa.Table:
    """Read all rows of a table; raises RequestError if any are damaged, FileNotFoundError."""
    found = read_intact(path, schema)
    if found.damage:
        raise RequestError(
            f"{path}: {found.damage}",
            f"`weft run --resume {path.parent}` computes again what is damaged",
        )
    return found.table


def read_intact(path: Path, schema: pa.Schema) -> Readable:
    """Read the intact rows of a table; raises RequestError if it is no table, FileNotFoundError."""
    try:
        groups = list(intact_groups(path, schema))
    except _Unreadable as error:
        return Readable(schema.empty_table(), error.message)
    intact = [group for group in groups if group is not None]
    lost = len(groups) - len(intact)
    damage = f"damaged: {lost} of {len(groups)} parts have wrong checksums" if lost else ""
    return Readable(pa.concat_tables([schema.empty_table(), *intact]), damage)


class _Unreadable(RequestError):
    """Nothing of the file can be read."""


def intact_groups(path: Path, schema: pa.Schema) -> Iterator[pa.Table | None]:
    """Iterate over the row groups of a table, with None for damaged ones; raises RequestError if nothing can be read,
    FileNotFoundError."""
    with open_file(path) as source:
        try:
            file = pq.ParquetFile(source, page_checksum_verification=True)
            check_table(file, os.fstat(source.fileno()).st_size)
            sums = _sums(file)
        except (*ARROW_ERRORS, ContentError) as error:
            raise _Unreadable(f"damaged: {_one_line(error)}") from None
        for index in range(file.num_row_groups):
            yield _read_group(file, index, schema, sums)
        yield from [None] * (len(sums or ()) - file.num_row_groups)


def _sums(file: pq.ParquetFile) -> list[int] | None:
    """The checksums of the row groups, None in files of earlier versions; raises ContentError."""
    told = (file.schema_arrow.metadata or {}).get(_CHECKSUMS)
    return None if told is None else parse_json(told, list[int], "checksums")


def _read_group(
    file: pq.ParquetFile, index: int, schema: pa.Schema, sums: list[int] | None
) -> pa.Table | None:
    """Read a row group; None if damaged. Files of earlier versions have no checksums."""
    try:
        table = _conform(file.read_row_group(index), schema)
        table.validate(full=True)
        is_right = sums is None or checksum(table) == sums[index]
    except (*ARROW_ERRORS, IndexError):
        return None
    return table if is_right else None


def _conform(table: pa.Table, schema: pa.Schema) -> pa.Table:
    """Convert to the columns of a schema; raises Arrow's exceptions if that is not possible."""
    for name, value in added_later(schema).items():
        if name in schema.names and name not in table.column_names:
            column = pa.repeat(pa.scalar(value, schema.field(name).type), table.num_rows)
            table = table.append_column(name, column)
    return table.select(schema.names).cast(schema)


def _groups(table: pa.Table) -> Iterator[pa.Table]:
    """The table in parts that end with a step or launch, or with a phase if that is long."""
    first = 0
    of_phase = set(_changes(table, "phase"))
    of_launch = {*_changes(table, "step"), *_changes(table, "launch"), table.num_rows}
    for end in sorted(of_phase | of_launch):
        if end in of_launch or end - first >= GROUP_ROWS:
            yield table.slice(first, end - first)
            first = end


def _changes(table: pa.Table, name: str) -> list[int]:
    """The rows at which the value of a column changes."""
    if name not in table.column_names:
        return []
    values = table[name].to_numpy()
    changes: list[int] = (np.flatnonzero(values[1:] != values[:-1]) + 1).tolist()
    return changes


def _one_line(error: BaseException) -> str:
    lines = message_of(error).strip().splitlines()
    return lines[0] if lines else type(error).__name__


def checksum(table: pa.Table | pa.RecordBatch) -> int:
    """CRC-32 of the values of all columns, at 1 GB/s."""
    crc = 0
    for column in table.columns:
        crc = _add(_whole(column), crc)
    return crc


def _whole(column: pa.Array | pa.ChunkedArray) -> pa.Array:
    return pa.concat_arrays([column]) if isinstance(column, pa.Array) else column.combine_chunks()


def _add(column: pa.Array, crc: int) -> int:
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if pa.types.is_string(column.type):
        encoded = column.dictionary_encode()
        crc = zlib.crc32("\0".join(encoded.dictionary.to_pylist()).encode(), crc)
        column = encoded.indices
    return zlib.crc32(column.to_numpy(zero_copy_only=False).tobytes(), crc)
