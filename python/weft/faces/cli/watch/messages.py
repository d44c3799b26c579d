"""`--message` and `--ranks`: what times are stated for."""

from __future__ import annotations

import click

from weft.base import quantity
from weft.base.errors import RequestError

_SIZES = {"B": 1, "kB": 10**3, "MB": 10**6, "GB": 10**9, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30}

message_option = click.option(
    "--message", metavar="SIZE", help="State what a message of this size takes, such as 1MB."
)
ranks_option = click.option(
    "--ranks",
    type=click.IntRange(min=2),
    help="And an all-to-all of that size between so many ranks, half of them at either site.",
)


def message_bytes(message: str | None) -> int | None:
    """The size; raises RequestError where it is none."""
    if message is None:
        return None
    size = quantity.parse(message, _SIZES)
    if size is None or size < 1:
        raise RequestError(f"--message {message}: not a size", "for example 8B, 20kB or 1MB")
    return int(size)
