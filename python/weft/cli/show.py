"""`weft show`: what a run measured."""

from __future__ import annotations

import click

from weft.cli.output import json_option, print_json
from weft.cli.tables.summary import print_summary
from weft.diagnose.summary import summarise
from weft.run.folder import Run


@click.command()
@click.argument("run")
@json_option
def show(run: str, as_json: bool) -> None:
    """Show the results of RUN as tables."""
    summary = summarise(Run.open(run))
    if as_json:
        print_json(summary.to_json())
    else:
        print_summary(summary)
