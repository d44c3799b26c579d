"""run.json that is none: one message, exit code 2."""

import json
import os
from collections.abc import Callable
from functools import reduce
from operator import getitem
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from support.made.synthetic import write_run
from support.runs import change_meta, pingpong_run
from weft.base.errors import RequestError
from weft.runs.columns.table_file import write_table
from weft.runs.folder import TABLE_NAME, RunFolder
from weft.runs.meta import FILE_NAME, RunMeta
from weft.runs.samples import SCHEMA


def replaced(make: Callable[[Path], object]) -> Callable[[Path], None]:
    def change(path: Path) -> None:
        path.unlink()
        make(path)

    return change


def having(value: object, *keys: str | int) -> Callable[[Path], None]:
    """With another value at the end of some keys, or none."""

    def change(path: Path) -> None:
        document = json.loads(path.read_text())
        *upper, last = keys
        reduce(getitem, upper, document)[last] = value
        if value is ...:
            del document[last]
        path.write_text(json.dumps(document))

    return change


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_run(tmp_path / "r", sizes=[1, 1024, 65536]).directory


LOST = {"node": "n1", "step": 1, "launch": 0, "phase": 0, "reason": "it"}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (replaced(os.mkfifo), "not a file"),
        (replaced(Path.mkdir), "not a file"),
        (lambda path: path.write_text("[" * 100_000), "not JSON"),
        (lambda path: path.write_bytes(b"\xff\xfe{"), "not JSON"),
        (lambda path: path.write_text("[]"), "schema is None"),
        (having("watch", "kind"), "a watch of links, not a run"),
        (having(..., "plan"), "missing required field `plan`"),
        (having(..., "nodes"), "missing required field `nodes`"),
        (having([LOST], "lost"), r"lost\[0\].step: must be below 1, is 1"),
        (having("x", "nodes", 1, "facts"), r"nodes\[1\].facts: expected `object | null`"),
        (having([], "plan", "steps", 0, "sizes", "bytes"), r"plan.steps\[0\]: .*sizes must be"),
        (having([{"name": "n1"}], "nodes"), r"plan.steps\[0\]: .*needs 2 nodes"),
        (having([7], "warnings"), r"warnings\[0\]: expected `object`, got `int`"),
    ],
)
def test_what_is_no_record_is_refused(folder, change, said):
    change(folder / FILE_NAME)
    with pytest.raises(RequestError, match=said):
        RunFolder.open(folder)


def test_a_table_that_is_no_file_or_of_other_nodes_is_refused(folder):
    samples = RunFolder.open(folder).samples
    src = pa.array([2] * samples.num_rows, pa.int32())
    write_table(samples.set_column(4, "src", src).cast(SCHEMA), folder / TABLE_NAME)
    with pytest.raises(RequestError, match=r"parquet: has rows with src 2 to 2, run.json has 2"):
        RunFolder.open(folder)
    for make in (os.mkfifo, Path.mkdir):
        replaced(make)(folder / TABLE_NAME)
        with pytest.raises(RequestError, match="parquet: not a file"):
            RunFolder.open(folder)


def test_keys_of_other_builds_stay(folder):
    having({"kind": "lab", "colour": "red"}, "testbed")(folder / FILE_NAME)
    meta = RunFolder.open(folder).meta
    meta.write(folder)
    assert json.loads((folder / FILE_NAME).read_text())["testbed"]["colour"] == "red"


def test_a_changed_run_json_is_noticed_and_still_read(tmp_path: Path) -> None:
    run = pingpong_run(tmp_path / "run", [8], np.full((1, 1, 3), 5.0))
    path = run.directory / FILE_NAME
    written = path.read_text()
    assert not codes_of(run.directory)
    path.write_text(written.replace('"n2"', '"n7"'))
    assert codes_of(run.directory) == ["edited"]
    assert RunMeta.read(run.directory).nodes[1]["name"] == "n7"
    path.write_text(json.dumps(json.loads(written)))
    assert codes_of(run.directory) == ["edited"]


def test_a_run_json_without_a_checksum_is_one_of_an_earlier_build(tmp_path: Path) -> None:
    run = pingpong_run(tmp_path / "run", [8], np.full((1, 1, 3), 5.0))
    change_meta(run.directory)
    assert "checksum" not in json.loads((run.directory / FILE_NAME).read_text())
    assert not codes_of(run.directory)


def test_a_run_json_that_was_cut_is_refused(tmp_path: Path) -> None:
    run = pingpong_run(tmp_path / "run", [8], np.full((1, 1, 3), 5.0))
    path = run.directory / FILE_NAME
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(RequestError, match=r"run\.json: not JSON: .*truncated"):
        RunMeta.read(run.directory)


def codes_of(folder: Path) -> list[str]:
    return [one.code for one in RunMeta.read(folder).warnings]
