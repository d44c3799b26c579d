"""weft diagnose: what limits a network from the inside, and what is slow."""

from __future__ import annotations

import click

from weft.cli.output import json_option, print_json
from weft.cli.tables.findings import print_findings
from weft.diagnose.limits import diagnosis
from weft.diagnose.limits.declared import DeclaredNetwork
from weft.fabric.load import load_fabric
from weft.run.folder import Run


@click.command()
@click.argument("run")
@click.option(
    "--fabric", metavar="FABRIC", help="What the network should be: a catalogue name or a file."
)
@click.option(
    "--scale", type=float, help="Multiplies the fabric's rates; without it, the run's own scale."
)
@json_option
def diagnose(run: str, fabric: str | None, scale: float | None, as_json: bool) -> None:
    """Say who shares which limit, of what capacity, how sure that is, and on what evidence.

    Works best on a run of the plan xray, which searches for limits; any run over many nodes is looked
    through for slow nodes and routes. With --fabric it also tells what differs from that.
    """
    opened = Run.open(run)
    scale = scale if scale is not None else opened.meta.testbed.get("scale", 1.0)
    found = diagnosis.diagnose(
        opened, DeclaredNetwork(load_fabric(fabric, scale)) if fabric else None
    )
    if as_json:
        print_json(found.to_json())
    else:
        print_findings(found, opened.meta.warnings)
