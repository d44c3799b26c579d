"""Samples of a run that is being written, each read once."""

from pathlib import Path

import pyarrow as pa
import pytest

from support.runs import affine_us, begin_run, launches_of, step_rows
from weft.runs.columns import table_stream
from weft.runs.folder import RunFolder, RunWriter, lock_folder
from weft.runs.tail import SamplesTail

SIZES = [1, 1024, 65536]


def rows() -> pa.RecordBatch:
    return step_rows(SIZES, launches_of(affine_us(SIZES, 28.0, 94.1)))


def test_a_stream_that_is_cut_anywhere_is_read_on_from_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(table_stream, "PART_BYTES", 1500)
    writer = begin_run(tmp_path / "whole")
    for _ in range(3):
        writer.append(rows())
    whole = (tmp_path / "whole" / "samples.arrows").read_bytes()
    (tmp_path / "growing").mkdir()
    stream = tmp_path / "growing" / "samples.arrows"
    tail, found = SamplesTail(tmp_path / "growing"), []
    for end in range(0, len(whole) + 1, 97):
        stream.write_bytes(whole[:end])
        is_other, tables = tail.read()
        assert is_other == (end == 0)
        found += tables
    stream.write_bytes(whole)
    found += tail.read()[1]
    assert pa.concat_tables(found) == pa.Table.from_batches(3 * [rows()])
    assert not list(tail.read()[1])


def test_all_begins_anew_where_the_file_is_another_one(tmp_path: Path) -> None:
    def read() -> tuple[bool, int]:
        is_other, tables = tail.read()
        return is_other, sum(map(len, tables))

    tail = SamplesTail(tmp_path / "run")
    assert read() == (False, 0)
    writer = begin_run(tmp_path / "run")
    writer.append(rows())
    assert [read(), read()] == [(True, len(rows())), (False, 0)]
    writer.finish("partial")
    assert [read(), read()] == [(True, len(rows())), (False, 0)]
    resumed = RunWriter.resume(RunFolder.open(tmp_path / "run"), lock_folder(tmp_path / "run"))
    assert read() == (True, len(rows()))
    resumed.append(rows())
    assert read() == (False, len(rows()))


def test_a_damaged_batch_is_left_out(tmp_path: Path) -> None:
    writer = begin_run(tmp_path / "run")
    writer.append(rows())
    first = (tmp_path / "run" / "samples.arrows").stat().st_size
    for _ in range(2):
        writer.append(rows())
    text = bytearray((tmp_path / "run" / "samples.arrows").read_bytes())
    text[first - 9] ^= 1
    (tmp_path / "run" / "samples.arrows").write_bytes(text)
    assert sum(map(len, SamplesTail(tmp_path / "run").read()[1])) == 2 * len(rows())
