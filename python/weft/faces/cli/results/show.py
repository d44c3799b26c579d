"""`weft show`: what a run measured."""

from __future__ import annotations

import click

from weft.base.interval import Interval
from weft.faces.cli.output import json_option, print_json
from weft.faces.cli.tables.layout import print_table, terminal
from weft.faces.cli.tables.run.summary import print_summary
from weft.runs.folder import RunFolder
from weft.understand.host.evidence import EvidencePoints, evidence
from weft.understand.summary.summary import summarise
from weft.understand.tables.evidence import WORDS, evidence_table


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


def print_evidence(found: EvidencePoints) -> None:
    """Print a table for each step, with a row for each size and end, and what was not read below."""
    console = terminal()
    if not found.points:
        console.print("nothing was recorded beside these samples")
        return
    for step in sorted({point.step for point in found.points}):
        points = [each for each in found.points if each.step == step]
        what = f"{points[0].pattern} over {points[0].transport}"
        title = f"{what}: ns and counts of a message one way, medians over launches"
        print_table(console, evidence_table(points).titled(title).without_zeros(Interval))
    console.print(WORDS, soft_wrap=True)
    for node, missing in found.missing.items():
        reasons = "; ".join(f"{one['counters']} ({one['reason']})" for one in missing)
        console.print(f"{node}: not recorded: {reasons}", soft_wrap=True)
