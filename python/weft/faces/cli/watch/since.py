"""`--since`, which commands that read a watch take."""

from __future__ import annotations

import re
import time

import click

from weft.base.errors import RequestError

_SECONDS = {"m": 60, "h": 3600, "d": 86400, "w": 7 * 86400}

since_option = click.option("--since", help="Only what is younger, such as 12h, 30d or 4w.")


def begin_s(since: str | None) -> float | None:
    """Unix time; raises RequestError where it is no time."""
    if since is None:
        return None
    match = re.fullmatch(r"(\d+)([mhdw])", since)
    if not match:
        raise RequestError(
            f"--since {since}: not a time", "give minutes, hours, days or weeks: 12h"
        )
    return time.time() - int(match[1]) * _SECONDS[match[2]]
