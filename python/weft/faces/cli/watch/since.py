"""`--since`, an option of commands that read a watch."""

from __future__ import annotations

import math
import time

import click

from weft.base.amount import amount_of, unit_meant
from weft.base.errors import RequestError

since_option = click.option("--since", help="Only what is younger, such as 12h, 30d or 4w.")


def begin_s(since: str | None) -> float | None:
    """Unix time; raises RequestError if it is not a time."""
    if since is None:
        return None
    age = amount_of(since, "time")
    if age is None or not 0 <= age.worth < math.inf:
        raise RequestError(
            f"--since {since}: not a time",
            unit_meant(since, "time") or "give minutes, hours, days or weeks: 12h",
        )
    return time.time() - age.worth
