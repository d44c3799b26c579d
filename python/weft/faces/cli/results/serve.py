"""`weft serve`: runs in a browser, even while they measure."""

from __future__ import annotations

import ctypes
import os
from pathlib import Path

import click

from weft.faces.cli.output import json_option, print_json


@click.command(epilog="Example: weft serve runs")
@click.argument("folder", default="runs")
@click.option(
    "--port", type=click.IntRange(1, 65535), help="Where to listen.  [default: a free one]"
)
@json_option
def serve(folder: str, port: int | None, as_json: bool) -> None:
    """Show the runs in FOLDER in a browser, live.

    FOLDER is `runs` by default. Prints an address for a browser on this machine, and serves until Ctrl-C. The address
    contains a secret: anyone who knows it can read runs.
    """
    save_memory()
    # A web server is slow to import: no other command should wait for it.
    from weft.faces.server.serve import open_server

    server = open_server(Path(folder), port)
    if as_json:
        print_json({"address": server.address, "port": server.port, "folder": str(server.folder)})
    else:
        click.echo(server.address)
        click.echo("Ctrl-C ends it.", err=True)
    server.answer()


_M_MMAP_THRESHOLD, _M_ARENA_MAX = -3, -8
"""Constants of <malloc.h>."""
_MAPPED_BYTES = 64 << 10
"""Larger blocks are mapped, and unmapped when they are freed."""


def save_memory() -> None:
    """Return memory to the system as soon as it is freed."""
    os.environ["ARROW_DEFAULT_MEMORY_POOL"] = "system"
    c = ctypes.CDLL(None)
    c.mallopt(_M_ARENA_MAX, 1)
    c.mallopt(_M_MMAP_THRESHOLD, _MAPPED_BYTES)
