"""run.json that is none: one message, exit code 2."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from support.synthetic import write_run
from weft.errors import RequestError
from weft.run.folder import TABLE_NAME, Run
from weft.run.meta import FILE_NAME


def without(key: str) -> Callable[[Path], None]:
    def change(path: Path) -> None:
        document = json.loads(path.read_text())
        del document[key]
        path.write_text(json.dumps(document))

    return change


def replaced(make: Callable[[Path], object]) -> Callable[[Path], None]:
    def change(path: Path) -> None:
        path.unlink()
        make(path)

    return change


def warnings_of_numbers(path: Path) -> None:
    path.write_text(json.dumps(json.loads(path.read_text()) | {"warnings": [7]}))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (replaced(os.mkfifo), "not a file"),
        (replaced(Path.mkdir), "not a file"),
        (lambda path: path.write_text("[" * 100_000), "not JSON"),
        (lambda path: path.write_bytes(b"\xff\xfe{"), "not JSON"),
        (lambda path: path.write_text("[]"), "schema is None"),
        (without("plan"), "has no key plan"),
        (without("nodes"), "has no key nodes"),
        (warnings_of_numbers, "warnings is not a list"),
    ],
)
def test_what_is_no_record_is_refused(tmp_path, change, said):
    folder = write_run(tmp_path / "r", sizes=[1, 1024, 65536]).directory
    change(folder / FILE_NAME)
    with pytest.raises(RequestError, match=said):
        Run.open(folder)


@pytest.mark.parametrize("make", [os.mkfifo, Path.mkdir])
def test_a_table_that_is_no_file_is_refused(tmp_path, make):
    folder = write_run(tmp_path / "r", sizes=[1, 1024, 65536]).directory
    replaced(make)(folder / TABLE_NAME)
    with pytest.raises(RequestError, match="parquet: not a file"):
        Run.open(folder)
