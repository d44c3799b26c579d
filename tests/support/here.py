"""The weft command in this process: what it prints and how it ends, without the start of a process."""

import contextlib
import io
import subprocess
import sys
from pathlib import Path
from typing import Any
from unittest.mock import patch

from support.command import document_of, refusal_of
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
    return document_of(weft(*arguments, "--json"), status)


def refusal(*arguments: str | Path, status: int = 2) -> str:
    """What a wrong request is told; nothing is printed."""
    return refusal_of(weft(*arguments), status)


def _text(stream: io.TextIOWrapper) -> str:
    stream.flush()
    return stream.buffer.getvalue().decode()  # type: ignore[attr-defined]
