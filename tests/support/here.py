"""The weft command in this process: what it prints and how it ends, without the start of a process."""

import contextlib
import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Any
from unittest.mock import patch

from weft.faces.cli.main import run_command


def weft(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = ["weft", *map(str, arguments)]
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8") for _ in range(2))
    with (
        patch.object(sys, "argv", command),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        try:
            run_command()
        except SystemExit as end:
            status = int(end.code or 0)
    return subprocess.CompletedProcess(command, status, _text(out), _text(err))


def weft_json(*arguments: str | Path, status: int = 0) -> Any:
    """The one JSON document on standard output."""
    done = weft(*arguments, "--json")
    assert done.returncode == status, done.stderr
    return json.loads(done.stdout)


def refusal(*arguments: str | Path, status: int = 2) -> str:
    """What a wrong request is told; nothing is printed."""
    done = weft(*arguments)
    assert (done.returncode, done.stdout) == (status, ""), done
    assert "Traceback" not in done.stderr
    return done.stderr


def _text(stream: io.TextIOWrapper) -> str:
    stream.flush()
    return stream.buffer.getvalue().decode()  # type: ignore[attr-defined]
