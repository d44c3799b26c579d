"""`weft watch`: links between sites, probed for weeks."""

from __future__ import annotations

import click

from weft.faces.cli.watch.check import check
from weft.faces.cli.watch.install import install
from weft.faces.cli.watch.replay import replay
from weft.faces.cli.watch.report import report
from weft.faces.cli.watch.serve import serve
from weft.faces.cli.watch.show import show
from weft.faces.cli.watch.start import start
from weft.faces.cli.watch.status import status
from weft.faces.cli.watch.stop import stop
from weft.faces.cli.watch.uninstall import uninstall


@click.group()
def watch() -> None:
    """Probe the links between sites for weeks."""


for command in (check, install, replay, report, serve, show, start, status, stop, uninstall):
    watch.add_command(command)
