"""What `make test` says at its end, of parts that were run."""

import subprocess
import sys
from pathlib import Path

import pytest

from support.paths import CHECKOUT

TESTS = """
import pytest

def test_right(): pass
def test_wrong(): assert 0
@pytest.mark.skip(reason="no such tool")
def test_left_out(): pass
"""
RUST = "test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out"


def part(folder: Path, name: str, *command: str) -> int:
    there = [str(CHECKOUT / "tools" / "part"), name, *command]
    return subprocess.run(there, cwd=folder, capture_output=True, check=False).returncode


def summary(folder: Path, *names: str) -> tuple[int, list[str]]:
    command = [sys.executable, str(CHECKOUT / "tools" / "summary.py"), *names]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout.splitlines()


def test_each_part_has_a_line_and_all_are_added(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(TESTS)
    assert part(tmp_path, "timed", sys.executable, "-m", "pytest", "-q", "-rfEs", "test_it.py") == 1
    assert part(tmp_path, "rust", "echo", f"{RUST}\n\n{RUST}") == 0
    status, lines = summary(tmp_path, "timed", "rust")
    assert status == 1
    assert lines[0].startswith("   timed: 1 passed, 1 failed, 1 skipped, FAILED in ")
    assert lines[1].startswith("    rust: 6 passed, 0 failed, 2 skipped, ok in ")
    assert lines[2:] == [
        "     all: 7 passed, 1 failed, 3 skipped, FAILED",
        " skipped: 1, no such tool",
    ]


@pytest.mark.parametrize(("command", "status"), [("true", 0), ("false", 1)])
def test_a_part_without_tests_counts_by_its_end(tmp_path: Path, command: str, status: int) -> None:
    assert part(tmp_path, "lint", command) == status
    assert summary(tmp_path, "lint")[0] == status


def test_a_part_that_did_not_end_is_a_failure(tmp_path: Path) -> None:
    part(tmp_path, "lint", "true")
    status, lines = summary(tmp_path, "lint", "rust")
    assert status == 1 and lines[1] == "    rust: did not end"


def test_what_was_tried_again_is_counted(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(
        "import pytest\ntried = []\n\n@pytest.mark.flaky(reruns=1)\n"
        "def test_slow_once():\n    tried.append(1)\n    assert len(tried) == 2\n"
    )
    assert part(tmp_path, "timed", sys.executable, "-m", "pytest", "-q", "-rR", "test_it.py") == 0
    status, lines = summary(tmp_path, "timed")
    assert status == 0
    assert lines[0].startswith("   timed: 1 passed, 0 failed, 0 skipped, 1 tried again, ok in ")
