"""`weft watch`: links between sites, probed for weeks."""

from __future__ import annotations

import click

from weft.cli.watch.check import check
from weft.cli.watch.install import install
from weft.cli.watch.replay import replay
from weft.cli.watch.report import report
from weft.cli.watch.serve import serve
from weft.cli.watch.show import show
from weft.cli.watch.start import start
from weft.cli.watch.status import status
from weft.cli.watch.stop import stop
from weft.cli.watch.uninstall import uninstall


@click.group()
def watch() -> None:
    """Probe the links between sites for weeks."""


for command in (check, install, replay, report, serve, show, start, status, stop, uninstall):
    watch.add_command(command)
