"""What systemd is told: READY once, WATCHDOG while the event loop turns and only then, STOPPING at the end."""

import asyncio
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.live.waiting import wait_for
from weft.links.watch.notify import kept_alive, notify


@pytest.fixture
def listener(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[socket.socket]:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as found:
        found.bind(str(tmp_path / "notify"))
        found.setblocking(False)
        monkeypatch.setenv("NOTIFY_SOCKET", str(tmp_path / "notify"))
        monkeypatch.setenv("WATCHDOG_USEC", "150000")
        yield found


def said(listener: socket.socket) -> list[str]:
    found = []
    while True:
        try:
            found.append(listener.recv(4096).decode())
        except BlockingIOError:
            return found


def test_a_loop_that_turns_is_alive_and_one_that_hangs_is_not(listener: socket.socket) -> None:
    async def turn() -> tuple[list[str], list[str]]:
        with kept_alive():
            await asyncio.sleep(0.3)
            turning = said(listener)
            time.sleep(0.3)
            return turning, said(listener)

    turning, hanging = asyncio.run(turn())
    assert len(turning) >= 3
    assert set(turning) == {"WATCHDOG=1"}
    assert hanging == []


def test_another_process_is_not_watched(
    listener: socket.socket, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WATCHDOG_PID", str(os.getpid() + 1))

    async def turn() -> None:
        with kept_alive():
            await asyncio.sleep(0.1)

    asyncio.run(turn())
    assert said(listener) == []


def test_without_systemd_nothing_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NOTIFY_SOCKET", raising=False)
    notify("READY=1")
    monkeypatch.setenv("NOTIFY_SOCKET", "/nowhere/notify")
    notify("READY=1")


@pytest.mark.timed
def test_a_watch_tells_what_it_does_and_its_lines_have_priorities(
    listener: socket.socket, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sites = tmp_path / "sites.toml"
    sites.write_text(
        '[[sites]]\nname = "here"\non = "template:false {node}:n1"\n[[sites]]\nname = "far"\naddress = "192.0.2.7"\n'
    )
    log = tmp_path / "log"
    with log.open("wb") as file:
        status = os.fstat(file.fileno())
        monkeypatch.setenv("JOURNAL_STREAM", f"{status.st_dev}:{status.st_ino}")
        command = [sys.executable, "-m", "weft", "watch", "start", str(sites), "--out", "watch"]
        watch = subprocess.Popen(command, stderr=file, cwd=tmp_path)
    heard: list[str] = []

    def has_said(text: str) -> bool:
        heard.extend(said(listener))
        return any(text in one for one in heard)

    wait_for(lambda: has_said("STATUS=0 of 1 sites reached"), 60)
    assert "READY=1" in heard
    assert "WATCHDOG=1" in heard
    watch.terminate()
    assert watch.wait(30) == 0
    assert has_said("STOPPING=1")
    lines = log.read_text().splitlines()
    assert lines[0].startswith("<6>watch: ")
    assert any(line.startswith("<4>here unreachable") for line in lines)
