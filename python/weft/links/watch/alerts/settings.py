"""`[alerts]` in sites.toml: how events are notified, and which."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path
from typing import Self
from urllib.parse import urlsplit

from msgspec import field

from weft.base.amount import Part, Seconds
from weft.base.errors import RequestError
from weft.base.toml_file import TomlTable, Word, WordList, WrongKey

KINDS = ("outages", "congestion", "re-route", "not-measured", "threshold")
"""What is notified. "threshold" is only found where one of the thresholds is set."""

_WORD = re.compile(r"(?:[A-Za-z_]\w*=\S*\s+)*([\w./~+-]+)(?:\s|$)")
_BUILT_IN = {"cd", "exec", "test", "if", "while", "for", "case", "until", "umask", "set", "export"}


class _Kinds(WordList):
    @classmethod
    def read(cls, value: object) -> Self:
        return super().read(value).of(KINDS)


class _Least(Seconds):
    from_zero = True
    most = 30 * 86_400.0


class _Timeout(Seconds):
    most = 600.0


class _Alpha(Seconds):
    from_zero = True
    most = 60.0


class _Share(Part):
    from_zero = True
    most = 1.0


class AlertSettings(TomlTable, frozen=True):
    """`least_s` is the shortest outage, or time without measurement, that is notified; thresholds that are None are
    not looked at."""

    command: Word = ""
    webhook: Word = ""
    kinds: _Kinds = _Kinds(KINDS)
    least_s: _Least = field(name="least", default=_Least(0.0))
    timeout_s: _Timeout = field(name="timeout", default=_Timeout(30.0))
    alpha_s: _Alpha | None = field(name="alpha", default=None)
    loss: _Share | None = None
    availability: _Share | None = None

    def __post_init__(self) -> None:
        if self.webhook and not _is_address(self.webhook):
            raise WrongKey("webhook", "must be an address such as https://example.org/hook")


def check_command(settings: AlertSettings) -> None:
    """Raise RequestError where the command's program is not on this machine: it would be found out at the first event.
    What only a shell understands is left to the shell."""
    word = _WORD.match(settings.command.strip())
    if not word or word[1] in _BUILT_IN or word[1].startswith("~"):
        return
    program = word[1]
    if shutil.which(program) is None:
        why = "cannot be executed" if _is_file(program) else "is not on this machine"
        raise RequestError(
            f"alerts.command: {program} {why}",
            "give the path of a program that can be executed, or a line for /bin/sh",
        )


def _is_address(text: str) -> bool:
    try:
        parts = urlsplit(text)
        is_right = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        return False
    return bool(is_right) and " " not in text and text.isascii()


def _is_file(program: str) -> bool:
    return os.sep in program and Path(program).is_file()
