"""`weft diagnose`: limits inside a network, slow nodes and routes, and explanations of a pair's curve."""

from __future__ import annotations

import click

from weft.faces.api.diagnose import diagnose as diagnose_run
from weft.faces.api.run import opened as open_run
from weft.faces.cli.output import json_option, print_json
from weft.faces.cli.tables.run.findings import print_findings


@click.command(epilog="Example: weft diagnose runs/xray --fabric two-racks")
@click.argument("run")
@click.option(
    "--fabric", metavar="FABRIC", help="The declared network: a catalogue name or a file."
)
@click.option(
    "--scale", type=float, help="Multiply the fabric's rates.  [default: the run's scale]"
)
@json_option
def diagnose(run: str, fabric: str | None, scale: float | None, as_json: bool) -> None:
    """Find shared limits, slow nodes and slow routes in RUN.

    A run of the plan xray is a search for limits. Other runs between many nodes only show slow nodes and
    slow routes. Between two nodes, thresholds are listed (sizes at which time changes), and limits, modes,
    dips, jumps, kinks and outliers are explained by what the hosts did meanwhile. With --fabric, differences from
    that description are listed.
    """
    opened = open_run(run)
    found = diagnose_run(opened, fabric=fabric, scale=scale).findings
    if as_json:
        print_json(found.to_json())
    else:
        print_findings(found, opened.meta)
