"""A guest's cables, with a monitor that answers as an emulator's does."""

import json
import socket
import threading
from pathlib import Path

import pytest

from weft.base.errors import WorkError
from weft.measure.testbed.vm.cable import set_carriers


def monitor(path: Path, answers: list[dict[str, object]], asked: list[dict[str, object]]) -> None:
    """Greet, and answer each question with the next of the answers, behind an event."""
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(path))
    listener.listen()

    def serve() -> None:
        connection, _ = listener.accept()
        with listener, connection:
            connection.sendall(b'{"QMP": {}}\n')
            for answer in answers:
                asked.append(json.loads(connection.recv(4096)))
                connection.sendall(b'{"event": "X"}\n' + json.dumps(answer).encode() + b"\n")

    threading.Thread(target=serve, daemon=True).start()


def test_all_guests_lose_the_carrier_of_one_interface(tmp_path: Path) -> None:
    asked: list[dict[str, object]] = []
    for guest in ("n1", "n2"):
        monitor(tmp_path / f"{guest}.qmp", [{"return": {}}, {"return": {}}], asked)
    set_carriers(tmp_path, ["n1", "n2"], 1, False)
    cut = {"execute": "set_link", "arguments": {"name": "net1", "up": False}}
    assert asked.count(cut) == 2 and len(asked) == 4


def test_an_emulator_that_refuses_or_is_gone_is_named(tmp_path: Path) -> None:
    refusal: dict[str, object] = {"error": {"desc": "Device 'net9' not found"}}
    monitor(tmp_path / "n1.qmp", [{"return": {}}, refusal], [])
    with pytest.raises(WorkError, match="n1: its emulator refuses: Device 'net9'"):
        set_carriers(tmp_path, ["n1"], 9, False)
    with pytest.raises(WorkError, match="n2: its emulator does not answer"):
        set_carriers(tmp_path, ["n2"], 0, False)
