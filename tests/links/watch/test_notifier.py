"""Notices are brought to a real command and a real HTTP server, also where these fail at first."""

import asyncio
import json
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from weft.links.watch.alerts import notifier
from weft.links.watch.alerts.event import LinkEvent, LinkName, Notice, notice_of
from weft.links.watch.alerts.ledger import AlertLedger, read_ledger, save_ledger
from weft.links.watch.alerts.notifier import Notifier
from weft.links.watch.alerts.settings import AlertSettings
from weft.links.watch.check import undelivered
from weft.links.watch.tell import Level


class Hook(ThreadingHTTPServer):
    """Answers these codes in turn, the last one ever after; has all that it was sent."""

    def __init__(self, codes: list[int]) -> None:
        super().__init__(("127.0.0.1", 0), Answering)
        self.codes = codes
        self.got: list[Any] = []

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/hook?key=secret"


class Answering(BaseHTTPRequestHandler):
    server: Hook

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        code = self.server.codes.pop(0) if len(self.server.codes) > 1 else self.server.codes[0]
        self.server.got.append((code, body["phase"], self.headers["Idempotency-Key"]))
        self.send_response(code)
        if code == 302:
            self.send_header("Location", "/elsewhere")
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def hook() -> Iterator[Hook]:
    server = Hook([200])
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notifier, "RETRIES_S", {"command": (0.01,) * 2, "webhook": (0.01,) * 3})


def notices() -> list[Notice]:
    event = LinkEvent(
        id="outage-a-b-1",
        kind="outages",
        what="path",
        begin_s=1.0,
        end_s=61.0,
        links=[LinkName(src="a", dst="b")],
    )
    return [notice_of(event, "begin", 2.0), notice_of(event, "end", 62.0)]


def deliver(
    folder: Path, settings: AlertSettings, posted: list[Notice]
) -> tuple[AlertLedger, list[str]]:
    """Until nothing is left in the outbox."""
    ledger, said = read_ledger(folder), list[str]()

    async def work() -> None:
        sender = Notifier(
            ledger,
            lambda: save_ledger(folder, ledger),
            settings,
            lambda line, level=Level.INFO: said.append(line),
        )
        sender.post(posted)
        task = asyncio.create_task(sender.run())
        async with asyncio.timeout(20):
            while ledger.outbox:
                await asyncio.sleep(0.01)
        task.cancel()

    asyncio.run(work())
    return ledger, said


def test_a_webhook_that_fails_at_first_gets_all_in_order(hook: Hook, tmp_path: Path) -> None:
    hook.codes = [500, 302, 200]
    ledger, said = deliver(tmp_path, AlertSettings(webhook=hook.address), notices())
    assert hook.got == [
        (500, "begin", "outage-a-b-1-begin"),
        (302, "begin", "outage-a-b-1-begin"),
        (200, "begin", "outage-a-b-1-begin"),
        (200, "end", "outage-a-b-1-end"),
    ]
    assert not ledger.failed and "500" in said[0] and "secret" not in "".join(said)


def test_what_cannot_be_delivered_is_kept_and_said(tmp_path: Path) -> None:
    settings = AlertSettings(webhook="http://127.0.0.1:1/", command="echo no disk >&2; exit 3")
    ledger, _ = deliver(tmp_path, settings, notices())
    assert sorted(one.by for one in ledger.failed) == ["command"] * 2 + ["webhook"] * 2
    said = {one.subject: one.text for one in undelivered(read_ledger(tmp_path))}
    assert "exit code 3: no disk" in said["command"] and "2 given up" in said["webhook"]
    assert "refused" in said["webhook"]


def test_a_command_gets_the_notice_and_one_that_hangs_is_ended(tmp_path: Path) -> None:
    got, pid = tmp_path / "got", tmp_path / "pid"
    command = f"cat >> {got}; echo $WEFT_ALERT_PHASE $WEFT_ALERT_SECONDS >> {got}"
    ledger, _ = deliver(tmp_path, AlertSettings(command=command), notices()[1:])
    document, variables = got.read_text().splitlines()
    assert json.loads(document)["links"] == [{"src": "a", "dst": "b", "network": ""}]
    assert variables == "end 60.000" and not ledger.failed
    hanging = AlertSettings(command=f"echo $$ >> {pid}; sleep 99", timeout_s=0.1)
    begin_s = time.monotonic()
    ledger, said = deliver(tmp_path, hanging, notices()[:1])
    assert time.monotonic() - begin_s < 10
    assert len(ledger.failed) == 1 and "longer than 0.1 s" in said[0]
    assert not any(Path(f"/proc/{one}/stat").exists() for one in pid.read_text().split())


def test_kinds_that_are_not_wanted_are_not_sent(hook: Hook, tmp_path: Path) -> None:
    deliver(tmp_path, AlertSettings(webhook=hook.address, kinds=("congestion",)), notices())
    assert not hook.got
