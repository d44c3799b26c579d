"""`weft show`: what a run measured."""

from __future__ import annotations

import click

from weft.faces.cli.output import json_option, print_json
from weft.faces.cli.tables.run.evidence import print_evidence
from weft.faces.cli.tables.run.summary import print_summary
from weft.runs.folder import RunFolder
from weft.understand.host.evidence import evidence
from weft.understand.summary.summary import summarise


@click.command(epilog="Example: weft show runs/pair")
@click.argument("run")
@click.option(
    "--evidence", "shows_evidence", is_flag=True, help="Show what the hosts did meanwhile instead."
)
@json_option
def show(run: str, shows_evidence: bool, as_json: bool) -> None:
    """Show the results of RUN as tables."""
    if shows_evidence:
        found = evidence(RunFolder.open(run))
        print_json(found.to_json()) if as_json else print_evidence(found)
        return
    summary = summarise(RunFolder.open(run))
    if as_json:
        print_json(summary.to_json())
    else:
        print_summary(summary)
