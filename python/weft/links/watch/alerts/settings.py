"""`[alerts]` in sites.toml: how events are notified, and which."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit

from msgspec import Struct

from weft.base import quantity
from weft.base.errors import RequestError
from weft.measure.testbed.hosts.checked_table import CheckedTable, Document

KINDS = ("outages", "congestion", "re-route", "not-measured", "threshold")
"""What is notified. "threshold" is only found where one of the thresholds is set."""
KEYS = ["command", "webhook", "kinds", "least", "timeout", "alpha", "loss", "availability"]
PARTS = {"": 1.0, "%": 0.01}

_WORD = re.compile(r"(?:[A-Za-z_]\w*=\S*\s+)*([\w./~+-]+)(?:\s|$)")
_BUILT_IN = {"cd", "exec", "test", "if", "while", "for", "case", "until", "umask", "set", "export"}


class AlertSettings(Struct, frozen=True, kw_only=True):
    """`least_s` is the shortest outage, or time without measurement, that is notified; thresholds that are None are
    not looked at."""

    command: str = ""
    webhook: str = ""
    kinds: tuple[str, ...] = KINDS
    least_s: float = 0.0
    timeout_s: float = 30.0
    alpha_s: float | None = None
    loss: float | None = None
    availability: float | None = None


class _Table(CheckedTable):
    """A table with quantities that may be missing."""

    def quantity(self, key: str, units: Mapping[str, float], most: float) -> float | None:
        """A number from 0 with a unit."""
        text = self.text(key)
        value = quantity.parse(text, units) if text is not None else None
        if text is not None and (value is None or not 0 <= value <= most):
            named = ", ".join(unit or "no unit" for unit in units)
            raise self._wrong(key, f"must be a number from 0 to {most:g} with a unit: {named}")
        return value

    def url(self, key: str) -> str:
        """An http or https address; "" where there is none."""
        text = self.text(key) or ""
        try:
            parts = urlsplit(text)
            is_right = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
        except ValueError:
            is_right = False
        if text and (not is_right or " " in text or not text.isascii()):
            raise self._wrong(key, "must be an address such as https://example.org/hook")
        return text


def parse_alerts(values: dict[str, object], document: Document) -> AlertSettings:
    """The table; raises RequestError that names file, line and key."""
    table, usual = _Table(values, document, "alerts.", KEYS), AlertSettings()
    kinds = table.texts("kinds") if "kinds" in table else list(usual.kinds)
    if unknown := [kind for kind in kinds if kind not in KINDS]:
        raise table._wrong("kinds", f"{unknown[0]} is none of {', '.join(KINDS)}")
    timeout_s = table.quantity("timeout", quantity.SECONDS, 600.0)
    return AlertSettings(
        command=table.text("command") or "",
        webhook=table.url("webhook"),
        kinds=tuple(kinds),
        least_s=table.quantity("least", quantity.SECONDS, 30 * 86400.0) or 0.0,
        timeout_s=timeout_s or usual.timeout_s,
        alpha_s=table.quantity("alpha", {"us": 1e-6, **quantity.SECONDS}, 60.0),
        loss=table.quantity("loss", PARTS, 1.0),
        availability=table.quantity("availability", PARTS, 1.0),
    )


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


def _is_file(program: str) -> bool:
    return os.sep in program and Path(program).is_file()
