"""The weft command in this process, and what is wrong with how it ended."""

from __future__ import annotations

import io
import json
import resource
import signal
import sys
import traceback
from collections.abc import Callable, Sequence
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from unittest.mock import patch

from weft.faces.cli.main import run_command

LONGEST_S = 20
MOST_BYTES = 2 << 30
"""So much more address space it may have; much of what Arrow and the drawing library take they do not use."""
LONGEST_MESSAGE = 3000
LAST_FRAMES = -4


class HangsError(BaseException):
    """The command took longer than it may."""


def complaint(arguments: Sequence[str], longest_s: int = LONGEST_S) -> str:
    """Why a command did not end as it must, with 0, or with 1 or 2 and one clear message; "" where it did."""
    out, err = io.StringIO(), io.StringIO()
    code: object = None
    try:
        with (
            patch.object(sys, "argv", ["weft", *arguments]),
            redirect_stdout(out),
            redirect_stderr(err),
        ):
            _limited(run_command, longest_s)
    except SystemExit as end:
        code = end.code
    except BaseException as error:
        return "".join(traceback.format_exception(error, limit=LAST_FRAMES))
    return _judge(code, out.getvalue(), err.getvalue(), "--json" in arguments)


def _limited(call: Callable[[], object], longest_s: int) -> None:
    """Call, with a limit on time and memory."""
    before = resource.getrlimit(resource.RLIMIT_AS)
    size = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (size + MOST_BYTES, before[1]))
    handler = signal.signal(signal.SIGALRM, _hangs)
    signal.alarm(longest_s)
    try:
        call()
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, handler)
        resource.setrlimit(resource.RLIMIT_AS, before)


def _hangs(*_: object) -> None:
    raise HangsError("took longer than it may")


def _judge(code: object, out: str, err: str, as_json: bool) -> str:
    if code not in (0, 1, 2):
        return f"ended with {code!r}"
    errors = [line for line in err.splitlines() if line.startswith("error: ")]
    if len(errors) != (code == 2) and code != 1:
        return f"ended with {code} and {len(errors)} messages: {err}"
    if "Traceback" in err or any(len(one) > LONGEST_MESSAGE for one in errors):
        return f"says too much: {err[:4000]}"
    if not as_json:
        return ""
    try:
        document = json.loads(out)
    except ValueError:
        return f"printed no JSON document, but {out[:200]!r}"
    return "" if code != 2 or document["error"]["message"] else "an error without a message"
