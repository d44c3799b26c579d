"""Notifications to systemd (sd_notify(3)).

The protocol is one datagram; libraries for it either need libsystemd and a compiler (systemd-python, cysystemd) or had
no release since 2017 (sdnotify).
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
from collections.abc import Iterator


def notify(*lines: str) -> None:
    """Send lines such as "READY=1"; does nothing if systemd did not start this process, or does not listen."""
    address = os.environ.get("NOTIFY_SOCKET", "")
    if not address:
        return
    with (
        contextlib.suppress(OSError),
        socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_NONBLOCK) as sender,
    ):
        # A leading @ stands for the NUL byte of an abstract socket's name.
        name = "\0" + address[1:] if address.startswith("@") else address
        sender.sendto("\n".join(lines).encode(), name)


@contextlib.contextmanager
def kept_alive() -> Iterator[None]:
    """Meanwhile, notify the watchdog three times per watchdog interval that this event loop still runs."""
    usec, pid = os.environ.get("WATCHDOG_USEC", ""), os.environ.get("WATCHDOG_PID", "")
    if not usec.isdigit() or pid not in ("", str(os.getpid())):
        yield
        return
    task = asyncio.ensure_future(_keep_alive(int(usec) / 3e6))
    try:
        yield
    finally:
        task.cancel()


async def _keep_alive(every_s: float) -> None:
    while True:
        notify("WATCHDOG=1")
        await asyncio.sleep(every_s)
