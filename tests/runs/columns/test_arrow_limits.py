"""Small files of Arrow's that claim much are refused before they are read."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from support.runs import step_rows, write_run
from weft.measure.testbed.agent.wire_format import FrameError, decode_samples
from weft.runs.columns.table_stream import read_stream
from weft.runs.folder import RunFolder
from weft.runs.samples import SCHEMA


def _zeros(rows: int) -> pa.RecordBatch:
    columns = [pa.array(np.zeros(rows, one.type.to_pandas_dtype())) for one in SCHEMA]
    return pa.RecordBatch.from_arrays(columns, schema=SCHEMA)


def _stream(batch: pa.RecordBatch, compression: str | None) -> bytes:
    sink = pa.BufferOutputStream()
    options = pa.ipc.IpcWriteOptions(compression=compression)
    with pa.ipc.new_stream(sink, batch.schema, options=options) as stream:
        stream.write_batch(batch)
    content: bytes = sink.getvalue().to_pybytes()
    return content


def test_a_frame_of_plain_samples_is_read() -> None:
    assert decode_samples(_stream(_zeros(1000), None)).num_rows == 1000


@pytest.mark.parametrize("compression", ["zstd", "lz4"])
def test_a_compressed_frame_is_refused(compression: str) -> None:
    frame = _stream(_zeros(1_000_000), compression)
    assert len(frame) < 1 << 20
    before = pa.total_allocated_bytes()
    with pytest.raises(FrameError, match="compressed, which weft never writes"):
        decode_samples(frame)
    assert pa.total_allocated_bytes() - before < 1 << 20


def test_a_frame_of_columns_without_bytes_is_refused() -> None:
    nothing = pa.RecordBatch.from_arrays([pa.nulls(10**9)], names=["step"])
    with pytest.raises(FrameError, match="more rows than its bytes can hold"):
        decode_samples(_stream(nothing, None))


def test_a_compressed_stream_has_no_rows(tmp_path: Path) -> None:
    file = tmp_path / "samples.arrows"
    file.write_bytes(_stream(_zeros(1000), "zstd"))
    assert read_stream(file, SCHEMA).table.num_rows == 0
    file.write_bytes(_stream(_zeros(1000), None))
    assert read_stream(file, SCHEMA).table.num_rows == 1000


def test_a_table_with_more_rows_than_its_size_can_hold_is_damaged(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    run = write_run(folder, [step_rows([8, 64], np.full((2, 1, 3), 5.0))])
    assert run.samples.num_rows
    with pq.ParquetWriter(folder / "samples.parquet", SCHEMA) as writer:
        for _ in range(8):
            writer.write_batch(_zeros(1_000_000))
    before = pa.total_allocated_bytes()
    found = RunFolder.open(folder)
    assert found.samples.num_rows == 0
    assert any("8000000 rows in a file of" in one.message for one in found.meta.warnings)
    assert pa.total_allocated_bytes() - before < 1 << 20
