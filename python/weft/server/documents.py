"""Documents that take long or much memory: each by a command of weft, in a process of its own."""

from __future__ import annotations

import asyncio
import sys
import time
from collections import OrderedDict
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import msgspec

from weft.errors import WorkError
from weft.server.folders import State, is_live, read_meta, state_of

Kind = Literal["show", "diagnosis", "figures"]
COMMANDS: dict[Kind, list[str]] = {
    "show": ["-m", "weft", "show", "--json"],
    "diagnosis": ["-m", "weft", "diagnose", "--json"],
    "figures": ["-m", "weft.server.figures"],
}
"""What Python is given to do, before the run."""
MOST_BYTES = 24 << 20
"""Of one document, and of all that are kept."""
LONGEST_S = 300
LEAST_AGE_S, MOST_SHARE = 2.0, 0.2
"""Of a run that is measuring a document is computed again after so long, and for so much of the time at most."""


@dataclass(frozen=True)
class _Kept:
    state: State
    text: bytes
    began_s: float
    took_s: float


class Documents:
    """Computes one at a time, once for all that ask meanwhile, and keeps what was asked for lately."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[Kind, Path], _Kept] = OrderedDict()
        self._coming: dict[tuple[Kind, Path], asyncio.Task[bytes]] = {}
        self._turn = asyncio.Semaphore(1)

    async def get(self, kind: Kind, path: Path) -> bytes:
        """The document's JSON; raises WorkError where the command failed, with what it said."""
        key = kind, path
        if text := self._fresh(key):
            return text
        if key not in self._coming:
            self._coming[key] = asyncio.create_task(self._compute(key))
            self._coming[key].add_done_callback(lambda _: self._coming.pop(key))
        # Whoever asked may go away: others wait for it too.
        return await asyncio.shield(self._coming[key])

    def _fresh(self, key: tuple[Kind, Path]) -> bytes | None:
        kept = self._kept.get(key)
        if kept is None:
            return None
        self._kept.move_to_end(key)
        if kept.state == state_of(key[1]):
            return kept.text
        age_s = time.monotonic() - kept.began_s
        is_recent = age_s < max(LEAST_AGE_S, kept.took_s / MOST_SHARE)
        return kept.text if is_recent and is_live(key[1], read_meta(key[1])) else None

    async def _compute(self, key: tuple[Kind, Path]) -> bytes:
        kind, path = key
        async with self._turn:
            state, began_s = state_of(path), time.monotonic()
            text = await _output([*COMMANDS[kind], str(path)])
            self._keep(key, _Kept(state, text, began_s, time.monotonic() - began_s))
        return text

    def _keep(self, key: tuple[Kind, Path], one: _Kept) -> None:
        self._kept[key] = one
        while sum(len(each.text) for each in self._kept.values()) > MOST_BYTES:
            self._kept.popitem(last=False)


async def _output(arguments: list[str]) -> bytes:
    """What Python prints for these arguments; it is killed where that takes too long or is too much."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, *arguments),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        limit=1 << 20,
    )
    assert process.stdout is not None
    try:
        async with asyncio.timeout(LONGEST_S):
            text = await _read(process.stdout)
            await process.wait()
    except TimeoutError:
        raise WorkError(
            f"took longer than {LONGEST_S} s", "use `weft show` and `weft report`"
        ) from None
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    _check(text, process.returncode)
    return text


async def _read(pipe: asyncio.StreamReader) -> bytes:
    text = bytearray()
    while part := await pipe.read(1 << 20):
        text += part
        if len(text) > MOST_BYTES:
            raise WorkError(
                f"the document is larger than {MOST_BYTES >> 20} MiB", "use `weft show --json`"
            )
    return bytes(text)


def _check(text: bytes, exit_code: int | None) -> None:
    """Raise WorkError where the text is no document but says what is wrong."""
    if exit_code == 0 and not text.startswith(b'{"error"'):
        return
    try:
        error = msgspec.json.decode(text)["error"]
        raise WorkError(error["message"], error["hint"])
    except (msgspec.DecodeError, KeyError, TypeError):
        raise WorkError(f"it could not be computed (exit code {exit_code})") from None
