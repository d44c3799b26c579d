"""Boots guests one after another, watches their consoles, and tries each once more if it fails."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import msgspec

from weft.base.errors import WorkError
from weft.measure.testbed.lab.daemon import ask_keeper, process_started
from weft.measure.testbed.vm.boot.initramfs import READY
from weft.measure.testbed.vm.boot.load import usages

SILENT_S = 60.0
"""A guest that writes nothing for this long hangs. Time in which it waited for a processor of this machine does not
count, since an emulated boot is slow on a busy machine."""
STARTED_WITHIN_S = 60.0
"""The keeper starts an emulator at once, unless it waits for a processor itself."""
CONFIGURED_WITHIN_S = 120.0
"""Again without the time in which the guest waited for a processor."""
TRIES = 2
LAST_LINES = 6
_PANIC = "Kernel panic"
_LOOK_EVERY_S = 0.1

Telling = Callable[[str], None]


class BootError(WorkError):
    """A guest did not boot; contains its last output."""


class Setup(NamedTuple):
    """How a booted guest is set up: a script, and the command for a shell in the guest."""

    shell: list[str]
    script: str


class GuestPlace(NamedTuple):
    """Where a guest is started: the keeper's socket, and the folder of the guests."""

    socket: Path
    folder: Path


def boot(place: GuestPlace, name: str, command: list[str], setup: Setup, tell: Telling) -> int:
    """Boot a guest and set it up; returns its emulator's pid. Raises BootError after the second failure."""
    for attempt in range(1, TRIES + 1):
        try:
            pid = _boot(place, name, command)
            _configure(name, pid, setup)
            return pid
        except BootError as error:
            if attempt == TRIES:
                raise
            tell(f"{error.message}; once more")
    raise AssertionError("unreachable")


def _configure(name: str, pid: int, setup: Setup) -> None:
    """Run the set-up script in a guest; raises BootError."""
    pipe, since = subprocess.PIPE, _could_run_s(pid)
    script: str | None = setup.script
    with subprocess.Popen(setup.shell, stdin=pipe, stdout=pipe, stderr=pipe, text=True) as shell:
        while True:
            try:
                out, errors = shell.communicate(script, timeout=_LOOK_EVERY_S)
                break
            except subprocess.TimeoutExpired:
                script = None
                if _could_run_s(pid) - since > CONFIGURED_WITHIN_S:
                    shell.kill()
                    message = f"{name}: setting up its interfaces took too long"
                    raise BootError(message) from None
    if shell.returncode:
        said = (errors or out).strip()
        raise BootError(f"{name}: its interfaces could not be set up: {said}")


def _boot(place: GuestPlace, name: str, command: list[str]) -> int:
    console = place.folder / f"{name}.console"
    console.unlink(missing_ok=True)
    question = {"ask": "boot", "host": name, "command": command}
    question |= {"folder": str(place.folder), "log": f"{name}.log"}
    try:
        answer = msgspec.json.decode(ask_keeper(place.socket, question, STARTED_WITHIN_S))
    except (OSError, msgspec.DecodeError) as error:
        raise BootError(f"{name}: the lab's keeper does not answer: {error}") from None
    if "error" in answer:
        raise BootError(f"{name}: {answer['error']['message']}")
    pid = int(answer["pid"])
    _watch(place, name, pid)
    return pid


def _watch(place: GuestPlace, name: str, pid: int) -> None:
    """Wait until the guest is ready; raises BootError if it panics, ends or falls silent."""
    size, since = 0, _could_run_s(pid)
    while True:
        said = _read(place.folder / f"{name}.console")
        if READY in said:
            return
        if _PANIC in said:
            raise BootError(f"{name}: its kernel panicked:\n{_last(_until_panic(said))}")
        if process_started(pid) is None:
            words = _last(_read(place.folder / f"{name}.log") or said)
            raise BootError(f"{name}: its emulator ended:\n{words}")
        if len(said) != size:
            size, since = len(said), _could_run_s(pid)
        if _could_run_s(pid) - since > SILENT_S:
            raise BootError(f"{name}: wrote nothing for {SILENT_S:g} s, and last:\n{_last(said)}")
        time.sleep(_LOOK_EVERY_S)


def _could_run_s(pid: int) -> float:
    """The time now, minus the time in which the guest waited for a processor of this machine."""
    waited = (usage.waited_s for usage in usages({"": pid}).values())
    return time.monotonic() - max(waited, default=0.0)


def _until_panic(said: str) -> str:
    """The panic without the stack trace after it, which would leave no room for the reason."""
    before, panic, after = said.partition(_PANIC)
    return before + panic + after.split("\n", 1)[0]


def last_lines(console: Path) -> str:
    """The last output of a guest: the panic, if there was one."""
    return _last(_until_panic(_read(console)))


def _read(path: Path) -> str:
    try:
        return path.read_bytes().decode(errors="replace")
    except FileNotFoundError:
        return ""


def _last(said: str) -> str:
    lines = [line.rstrip() for line in said.splitlines() if line.strip()]
    return "\n".join(f"  {line}" for line in lines[-LAST_LINES:]) or "  nothing"
