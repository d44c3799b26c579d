"""One writer of a run folder at a time."""

import errno
import fcntl
import subprocess
import sys
from pathlib import Path

import pytest

from support.here import refusal, weft_json
from support.made.synthetic import run_meta, write_run
from weft.base.errors import RequestError
from weft.runs.folder import RunFolder, RunWriter
from weft.runs.lock import FILE_NAME, FolderLock

HOLD = """
import sys, pathlib
from weft.runs.lock import FolderLock
held = FolderLock(pathlib.Path(sys.argv[1]))
print()
input()
"""


def holder(folder: Path) -> subprocess.Popen[str]:
    """Another process that has the lock."""
    command = [sys.executable, "-c", HOLD, str(folder)]
    process = subprocess.Popen(command, stdin=-1, stdout=-1, text=True)
    assert process.stdout is not None and process.stdout.readline()
    return process


def test_a_run_that_is_written_is_not_resumed_but_read(tmp_path):
    folder = tmp_path / "r"
    write_run(folder)
    with holder(folder) as process:
        said = refusal("run", "--resume", folder)
        assert f"{folder} is still running (pid {process.pid})" in said
        assert weft_json("show", folder)["points"]
        process.kill()
    assert weft_json("run", "--resume", folder)["status"] == "complete"
    assert not (folder / FILE_NAME).exists()


def test_a_new_folder_has_one_writer(tmp_path):
    folder = tmp_path / "r"
    folder.mkdir()
    with holder(folder) as process:
        with pytest.raises(RequestError, match=rf"still running \(pid {process.pid}\)"):
            RunWriter.create(folder, run_meta("pair", "pingpong", 1))
        assert [entry.name for entry in folder.iterdir()] == [FILE_NAME]
        process.kill()
    RunWriter.create(folder, run_meta("pair", "pingpong", 1)).finish("failed")
    assert RunFolder.open(folder).meta.status == "failed"


def test_a_lock_is_taken_in_the_file_that_is_there(tmp_path, monkeypatch):
    """Who held it removes the file; who had opened it before must not believe to have the lock of the next one."""
    before, removed = fcntl.flock, []

    def remove_first(file: int, how: int) -> None:
        if not removed:
            removed.append((tmp_path / FILE_NAME).unlink())
        before(file, how)

    monkeypatch.setattr(fcntl, "flock", remove_first)
    with FolderLock(tmp_path), pytest.raises(RequestError):
        FolderLock(tmp_path)


def test_a_file_system_without_locks_is_a_warning(tmp_path, monkeypatch):
    def refuse(file: int, how: int) -> None:
        raise OSError(errno.ENOSYS, "Function not implemented")

    monkeypatch.setattr(fcntl, "flock", refuse)
    run = write_run(tmp_path / "r")
    assert [warning.code for warning in run.meta.warnings] == ["no-lock"]
