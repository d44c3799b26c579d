"""The weft command as a user runs it: a process of its own."""

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

WEFT = [sys.executable, "-m", "weft"]

QUICK = ["--launches", "2", "--set", "steps.pingpong.sizes=['1 B', '1 KiB', '16 KiB']"]
"""A signature that takes a second or two."""


def run(
    command: Sequence[str], timeout: float = 120, env: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """A command to its end, whatever that is."""
    return subprocess.run(
        command, capture_output=True, text=True, timeout=timeout, check=False, env=env
    )


def weft(*arguments: str | Path, timeout: float = 120) -> subprocess.CompletedProcess[str]:
    return run([*WEFT, *map(str, arguments)], timeout)


def weft_json(*arguments: str | Path, status: int = 0) -> Any:
    """The one JSON document on standard output."""
    return document_of(weft(*arguments, "--json"), status)


def refusal(*arguments: str | Path, status: int = 2) -> str:
    """What a wrong request is told; nothing is printed."""
    return refusal_of(weft(*arguments), status)


def document_of(done: subprocess.CompletedProcess[str], status: int) -> Any:
    assert done.returncode == status, done.stderr
    return json.loads(done.stdout)


def refusal_of(done: subprocess.CompletedProcess[str], status: int) -> str:
    assert (done.returncode, done.stdout) == (status, ""), done
    assert "Traceback" not in done.stderr
    return done.stderr


def start(*arguments: str | Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [*WEFT, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def descendants(pid: int) -> list[tuple[int, str]]:
    """Processes below `pid`, with their names."""
    found = []
    for entry in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in entry.read_text().split():
            name = Path(f"/proc/{child}/comm")
            found += [(int(child), name.read_text().strip()), *descendants(int(child))]
    return found
