"""Messages of a running watch: lines, with a priority each if systemd's journal reads them."""

from __future__ import annotations

import os
import sys
from enum import IntEnum
from typing import Protocol

from weft.base.printable import one_line
from weft.runs.probes import HostEvent

_TROUBLE = (
    "agent-lost",
    "clock-step",
    "disk-full",
    "error",
    "name-unknown",
    "other-watch",
    "spool-thinned",
    "stall",
    "unreachable",
)
"""Events that are warnings."""


class Level(IntEnum):
    """Priorities of syslog(3)."""

    ERROR = 3
    WARNING = 4
    INFO = 6


class Tell(Protocol):
    """Takes a line; the default level is information."""

    def __call__(self, line: str, level: Level = Level.INFO) -> None: ...


def tell_stderr(line: str, level: Level = Level.INFO) -> None:
    """Print a line to standard error, prefixed with its priority if the journal reads it (sd-daemon(3))."""
    prefix = f"<{level.value}>" if is_journal(sys.stderr.fileno()) else ""
    print(f"{prefix}{one_line(line)}", file=sys.stderr, flush=True)


def is_journal(descriptor: int) -> bool:
    """Whether the journal reads this descriptor: compared by the device and inode that systemd passes, since a child
    may have redirected it."""
    try:
        status = os.fstat(descriptor)
    except OSError:
        return False
    return os.environ.get("JOURNAL_STREAM") == f"{status.st_dev}:{status.st_ino}"


def tell_event(tell: Tell, event: HostEvent) -> None:
    """Report an event in a line."""
    link = f" link {event.link}" if event.link is not None else ""
    seconds = f" {event.seconds:.3g} s" if event.seconds is not None else ""
    text = f": {event.text}" if event.text else ""
    level = Level.WARNING if event.what in _TROUBLE else Level.INFO
    tell(f"{event.site}{link} {event.what}{seconds}{text}", level)
