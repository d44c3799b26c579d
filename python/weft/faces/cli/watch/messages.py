"""`--message` and `--ranks`: the message for which times are stated."""

from __future__ import annotations

import math

import click

from weft.base.amount import amount_of, unit_meant
from weft.base.errors import RequestError

message_option = click.option(
    "--message", metavar="SIZE", help="State what a message of this size takes, such as '1 MB'."
)
ranks_option = click.option(
    "--ranks",
    type=click.IntRange(min=2),
    help="And an all-to-all of that size between so many ranks, half of them at either site.",
)


def message_bytes(message: str | None) -> int | None:
    """The message size; raises RequestError if it is invalid."""
    if message is None:
        return None
    size = amount_of(message, "size")
    if size is None or not 1 <= size.worth < math.inf:
        raise RequestError(
            f"--message {message}: not a size",
            unit_meant(message, "size") or "for example 8 B, 20 kB or 1 MB",
        )
    return int(size.worth)
