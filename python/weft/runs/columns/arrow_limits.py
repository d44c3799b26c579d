"""Checks of Arrow files before they are read, so that a small file cannot fill the memory."""

from __future__ import annotations

import struct

import pyarrow as pa
import pyarrow.parquet as pq

MOST_ROWS = 4_000_000
"""Rows that a table may have however small its file is: constant columns compress without limit."""
MOST_ROWS_A_BYTE = 4
_MOST_BYTES = 256 << 20
_MOST_BYTES_A_BYTE = 64
_HEADER, _DICTIONARY_DATA, _COMPRESSION, _LENGTH = 2, 1, 3, 0
"""Positions of fields in Arrow's Message.fbs."""


def check_table(file: pq.ParquetFile, file_bytes: int) -> None:
    """Raise ArrowInvalid if a Parquet file claims more data than its size can hold."""
    groups = (file.metadata.row_group(index) for index in range(file.metadata.num_row_groups))
    sizes = [(one.num_rows, one.total_byte_size) for one in groups]
    rows, bytes_ = sum(one for one, _ in sizes), sum(one for _, one in sizes)
    if rows > max(MOST_ROWS, MOST_ROWS_A_BYTE * file_bytes):
        raise pa.ArrowInvalid(f"{rows} rows in a file of {file_bytes} bytes")
    if bytes_ > max(_MOST_BYTES, _MOST_BYTES_A_BYTE * file_bytes):
        raise pa.ArrowInvalid(f"{bytes_} bytes of columns in a file of {file_bytes} bytes")


def check_next_batch(source: pa.BufferReader) -> None:
    """Raise ArrowInvalid if the next batch of a stream is compressed, which weft never writes, or claims more rows than
    bytes; EOFError at the end. Keeps the position."""
    at = source.tell()
    try:
        while True:
            message = pa.ipc.read_message(source)
            if message.type in ("record batch", "dictionary"):
                _check_batch(message)
            if message.type == "record batch":
                return
    finally:
        source.seek(at)


def _check_batch(message: pa.ipc.Message) -> None:
    table = _Table(message.metadata.to_pybytes())
    batch = table.child(_HEADER)
    if message.type == "dictionary":
        batch = batch.child(_DICTIONARY_DATA)
    if batch.has(_COMPRESSION):
        raise pa.ArrowInvalid("compressed, which weft never writes")
    if batch.number(_LENGTH) > 8 * message.body.size:
        raise pa.ArrowInvalid("more rows than its bytes can hold")


class _Table:
    """A table in a flat buffer (https://flatbuffers.dev/internals), by default its root; raises ArrowInvalid if the
    buffer is truncated."""

    def __init__(self, content: bytes, at: int | None = None) -> None:
        self._content = content
        self._at = self._read("<I", 0) if at is None else at

    def has(self, field: int) -> bool:
        return self._place(field) is not None

    def child(self, field: int) -> _Table:
        """The table that a field points to."""
        place = self._place(field)
        if place is None:
            raise pa.ArrowInvalid("a message without its content")
        return _Table(self._content, place + self._read("<I", place))

    def number(self, field: int) -> int:
        """A 64-bit integer; 0 if the field is omitted."""
        place = self._place(field)
        return 0 if place is None else self._read("<q", place)

    def _place(self, field: int) -> int | None:
        """The position of a field, from the vtable; None if the field is omitted."""
        fields = self._at - self._read("<i", self._at)
        slot = 4 + 2 * field
        if slot >= self._read("<H", fields):
            return None
        offset = self._read("<H", fields + slot)
        return self._at + offset if offset else None

    def _read(self, form: str, at: int) -> int:
        try:
            found: int = struct.unpack_from(form, self._content, at)[0]
        except struct.error:
            raise pa.ArrowInvalid("a message that ends too early") from None
        return found
