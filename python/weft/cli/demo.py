"""`weft demo`: the main job, end to end, on a virtual cluster."""

from __future__ import annotations

from pathlib import Path

import click

from weft.cli.output import json_option, print_json, print_warnings
from weft.cli.progress import progress
from weft.demo import demonstrate


@click.command()
@click.option(
    "--out", default="runs/demo", show_default=True, help="Folder; replaced when it exists."
)
@json_option
def demo(out: str, as_json: bool) -> None:
    """Measure a Fast Ethernet pair in a virtual cluster, beside NetPIPE, and report it."""
    with progress() as reporter:
        result = demonstrate(Path(out), reporter)
    if as_json:
        warnings = [vars(warning) for warning in result.warnings]
        runs = [str(run.directory) for run in result.runs]
        print_json({"runs": runs, "report": str(result.report), "warnings": warnings})
        return
    from weft.report.verdict import verdict

    print_warnings(result.warnings)
    for run in result.runs:
        click.echo(verdict(run))
    click.echo(f"report: {result.report.resolve()}")
