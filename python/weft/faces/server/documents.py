"""Documents that need much time or memory. Each is written to a temporary folder by a weft command in a process of its
own, so that even a large one never is in this process's memory."""

from __future__ import annotations

import asyncio
import shutil
import sys
import tempfile
import time
from collections import OrderedDict
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import msgspec

from weft.base.errors import WorkError
from weft.faces.server.folders import State, is_live, read_meta, state_of

Kind = Literal["show", "diagnosis", "figures"]
COMMANDS: dict[Kind, list[str]] = {
    "show": ["-m", "weft", "show", "--json"],
    "diagnosis": ["-m", "weft", "diagnose", "--json"],
    "figures": ["-m", "weft.faces.server.figures"],
}
"""Arguments for Python, followed by the run; its working directory is the document's folder."""
FILE_NAME = "document.json"
MOST_KEPT = 32
MOST_BYTES = 256 << 20
"""Total size of the documents kept on disk; the one requested last is always kept."""
LONGEST_S = 300
LONGEST_ERROR = 1 << 16
LEAST_AGE_S, MOST_SHARE = 2.0, 0.02
"""For a running measurement, a document is recomputed at most this often, and for at most this share of the time."""

_Key = tuple[Kind, Path]


@dataclass(frozen=True)
class _Kept:
    """A document in `folder`, with its other files."""

    folder: Path
    state: State
    began_s: float
    took_s: float

    @property
    def bytes(self) -> int:
        return sum(file.stat().st_size for file in self.folder.iterdir())


class Documents:
    """Computes one document at a time, once for all that request it meanwhile, and keeps recent ones."""

    def __init__(self) -> None:
        self._root = tempfile.TemporaryDirectory(prefix="weft-serve-")
        self._kept: OrderedDict[_Key, _Kept] = OrderedDict()
        self._coming: dict[_Key, asyncio.Task[Path]] = {}
        self._turn = asyncio.Semaphore(1)

    def close(self) -> None:
        """Remove all documents."""
        self._root.cleanup()

    async def get(self, kind: Kind, path: Path) -> Path:
        """The folder of the document, which must be opened at once. Raises WorkError with the command's message if it
        failed."""
        key = kind, path
        if (kept := self._kept.get(key)) and _is_fresh(path, kept):
            self._kept.move_to_end(key)
            return kept.folder
        if key not in self._coming:
            self._coming[key] = asyncio.create_task(self._compute(key))
            self._coming[key].add_done_callback(lambda _: self._coming.pop(key))
        # A request may be cancelled while others wait for the same document.
        return await asyncio.shield(self._coming[key])

    async def _compute(self, key: _Key) -> Path:
        kind, path = key
        async with self._turn:
            state, began_s = state_of(path), time.monotonic()
            folder = Path(tempfile.mkdtemp(dir=self._root.name))
            await _write([*COMMANDS[kind], str(path)], folder)
            self._keep(key, _Kept(folder, state, began_s, time.monotonic() - began_s))
        return folder

    def _keep(self, key: _Key, one: _Kept) -> None:
        if before := self._kept.pop(key, None):
            shutil.rmtree(before.folder)
        self._kept[key] = one
        while len(self._kept) > 1 and (
            len(self._kept) > MOST_KEPT
            or sum(each.bytes for each in self._kept.values()) > MOST_BYTES
        ):
            shutil.rmtree(self._kept.popitem(last=False)[1].folder)


def _is_fresh(path: Path, kept: _Kept) -> bool:
    if kept.state == state_of(path):
        return True
    age_s = time.monotonic() - kept.began_s
    is_recent = age_s < max(LEAST_AGE_S, kept.took_s / MOST_SHARE)
    return is_recent and is_live(path, read_meta(path).status)


async def _write(arguments: list[str], folder: Path) -> None:
    """Write Python's output for these arguments; the process is killed if it takes too long."""
    with (folder / FILE_NAME).open("wb") as file:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, *arguments),
            cwd=folder,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=file,
            stderr=asyncio.subprocess.DEVNULL,
        )
    try:
        async with asyncio.timeout(LONGEST_S):
            exit_code = await process.wait()
    except TimeoutError:
        hint = "use `weft show` and `weft report`"
        raise WorkError(f"it took longer than {LONGEST_S} s", hint) from None
    finally:
        if process.returncode is None:
            process.kill()
    if exit_code:
        with (folder / FILE_NAME).open("rb") as file:
            raise _error(file.read(LONGEST_ERROR), exit_code)


def _error(text: bytes, exit_code: int) -> WorkError:
    """The error that a failed command printed."""
    try:
        error = msgspec.json.decode(text)["error"]
        return WorkError(error["message"], error["hint"])
    except (msgspec.DecodeError, KeyError, TypeError):
        return WorkError(f"it could not be computed: exit code {exit_code}")
