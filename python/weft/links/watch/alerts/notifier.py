"""Deliver notices to a command and a webhook, at least once: a notice is on disk before it is sent, and removed
afterwards."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from email.message import Message
from http.client import HTTPException
from typing import IO

import msgspec

from weft.links.watch.alerts.event import Notice, clock
from weft.links.watch.alerts.ledger import AlertLedger, PendingNotice
from weft.links.watch.alerts.settings import AlertSettings
from weft.links.watch.tell import Level, Tell

RETRIES_S = {
    "command": (10.0, 60.0, 300.0),
    "webhook": (5.0, 15.0, 60.0, 300.0, 900.0, *[3600.0] * 24),
}
"""Delay before each retry; after the last one, delivery is abandoned and the notice kept as failed."""
CHANNELS = tuple(RETRIES_S)


class DeliveryError(Exception):
    """Why a notice could not be delivered; without the webhook's address, which may contain a secret."""


class Notifier:
    """Delivers the notices in the outbox of a ledger, in order, while `run` runs."""

    def __init__(
        self, ledger: AlertLedger, save: Callable[[], None], settings: AlertSettings, tell: Tell
    ) -> None:
        self.settings = settings
        self._ledger, self._save, self._tell = ledger, save, tell
        self._more = {by: asyncio.Event() for by in CHANNELS}

    def post(self, notices: list[Notice]) -> None:
        """Put notices of the configured kinds into the outbox; the caller saves the ledger and calls `wake`."""
        wanted = [one for one in notices if one.kind in self.settings.kinds]
        now_s = time.time()
        self._ledger.outbox += [
            PendingNotice(by=by, notice=one, since_s=now_s)
            for one in wanted
            for by in CHANNELS
            if getattr(self.settings, by)
        ]

    def wake(self) -> None:
        """Signal that the outbox is not empty."""
        for event in self._more.values():
            event.set()

    async def run(self) -> None:
        """Deliver until cancelled. The channels do not wait for each other."""
        await asyncio.gather(*(self._serve(by) for by in CHANNELS))

    async def _serve(self, by: str) -> None:
        while True:
            first = next((one for one in self._ledger.outbox if one.by == by), None)
            wait_s = max(0.0, first.next_s - time.time()) if first else None
            if first is None or wait_s:
                self._more[by].clear()
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(wait_s):
                        await self._more[by].wait()
                continue
            await self._deliver(first)
            self._save()

    async def _deliver(self, delivery: PendingNotice) -> None:
        delivery.tries += 1
        try:
            await self._send(delivery)
        except DeliveryError as error:
            delivery.error = str(error)
            retries = RETRIES_S[delivery.by]
            if delivery.tries > len(retries):
                self._ledger.give_up(delivery)
                self._tell(f"{delivery.by}: given up: {error}: {delivery.notice.text}", Level.ERROR)
                return
            delivery.next_s = time.time() + retries[delivery.tries - 1]
            self._tell(f"{delivery.by}: {error}; again at {clock(delivery.next_s)}", Level.WARNING)
            return
        self._ledger.outbox.remove(delivery)

    async def _send(self, delivery: PendingNotice) -> None:
        settings = self.settings
        if not getattr(settings, delivery.by):
            delivery.tries = len(RETRIES_S[delivery.by]) + 1
            raise DeliveryError("it is no longer configured")
        if delivery.by == "command":
            await run_command(settings.command, delivery.notice, settings.timeout_s)
            return
        # The time limit of a socket is for each read; this one is for the whole request.
        sent = asyncio.to_thread(post_json, settings.webhook, delivery.notice, settings.timeout_s)
        try:
            async with asyncio.timeout(settings.timeout_s + 1):
                await sent
        except TimeoutError:
            raise DeliveryError(f"no answer within {settings.timeout_s:g} s") from None


async def run_command(command: str, notice: Notice, timeout_s: float) -> None:
    """Run the command by /bin/sh, with the notice as JSON on standard input and in variables; raises DeliveryError.
    Background processes of the command are only killed if it exceeds `timeout_s`."""
    # Files instead of pipes: a command that does not read, or leaves a process behind, blocks nothing.
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as said:
        given.write(msgspec.json.encode(notice) + b"\n")
        given.seek(0)
        process = await asyncio.create_subprocess_exec(
            "/bin/sh",
            "-c",
            command,
            stdin=given,
            stdout=said,
            stderr=said,
            env=os.environ | variables(notice),
            start_new_session=True,
        )
        try:
            async with asyncio.timeout(timeout_s):
                code = await process.wait()
        except TimeoutError:
            raise DeliveryError(f"it took longer than {timeout_s:g} s and was ended") from None
        finally:
            if process.returncode is None:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                await process.wait()
        if code:
            raise DeliveryError(f"exit code {code}{_last_line(said)}")


def variables(notice: Notice) -> dict[str, str]:
    """Variables added to the environment of the command."""
    link = notice.links[0] if notice.links else None
    values = {
        "ID": notice.id,
        "PHASE": notice.phase,
        "KIND": notice.kind,
        "WHAT": notice.what,
        "SITE": notice.site,
        "SRC": link.src if link else "",
        "DST": link.dst if link else "",
        "NETWORK": link.network if link else "",
        "BEGIN": f"{notice.begin_s:.3f}",
        "END": "" if notice.end_s is None else f"{notice.end_s:.3f}",
        "SECONDS": "" if notice.seconds is None else f"{notice.seconds:.3f}",
        "EVIDENCE": notice.evidence,
        "TEXT": notice.text,
        "FOLDER": notice.folder,
    }
    return {f"WEFT_ALERT_{name}": value.replace("\0", "") for name, value in values.items()}


def _last_line(said: IO[bytes]) -> str:
    said.seek(0, os.SEEK_END)
    said.seek(max(0, said.tell() - 2000))
    lines = said.read().decode(errors="replace").strip().splitlines()
    return f": {lines[-1].strip()[:200]}" if lines else ""


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Refuses redirects: a redirected POST would become a GET without the notice."""

    def redirect_request(
        self,
        req: urllib.request.Request,
        fp: IO[bytes],
        code: int,
        msg: str,
        headers: Message,
        newurl: str,
    ) -> None:
        return None


def post_json(address: str, notice: Notice, timeout_s: float) -> None:
    """POST the notice; raises DeliveryError unless the status is 2xx."""
    request = urllib.request.Request(
        address,
        msgspec.json.encode(notice),
        {"Content-Type": "application/json", "User-Agent": "weft", "Idempotency-Key": _key(notice)},
        method="POST",
    )
    try:
        opener = urllib.request.build_opener(_NoRedirect())
        opener.open(request, timeout=timeout_s).close()
    except urllib.error.HTTPError as error:
        error.close()
        raise DeliveryError(f"it answered {error.code} {error.reason}") from None
    except (OSError, HTTPException, ValueError) as error:
        why = getattr(error, "reason", error)
        raise DeliveryError(str(why) or type(error).__name__) from None


def _key(notice: Notice) -> str:
    return f"{notice.id}-{notice.phase}"
