"""`weft diagnose`: limits inside a network, slow nodes and routes, and explanations of a pair's curve."""

from __future__ import annotations

from collections.abc import Sequence

import click
from rich.console import Console

from weft.base.alike import listed
from weft.base.nodeset import fold_names
from weft.faces.api.diagnose import diagnose as diagnose_run
from weft.faces.api.run import opened as open_run
from weft.faces.cli.output import json_option, print_json
from weft.faces.cli.tables.layout import print_disturbed, print_table, terminal, titled
from weft.faces.cli.tables.run.thresholds import print_thresholds
from weft.runs.meta import RunMeta, Warning
from weft.understand.host.disturbed import not_usable
from weft.understand.limits.findings import LimitFindings
from weft.understand.tables.limits import folded_tables


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
    found = diagnose_run(opened, fabric=fabric, scale=scale)
    if as_json:
        print_json(found.findings.to_json())
    else:
        print_findings(found.findings, opened.meta, found.warnings)


MOST_ROWS = 20
"""Longer lists are complete only in --json."""


def print_findings(found: LimitFindings, meta: RunMeta, warnings: Sequence[Warning] = ()) -> None:
    """Print the verdict, the tables behind it, open questions, and warnings of the run."""
    console = terminal()
    print_disturbed(console, not_usable(meta))
    console.print(found.verdict, soft_wrap=True)
    for table in folded_tables(found):
        print_table(console, table)
    for one in found.networks or [found]:
        _print_paths(one, console)
    if found.pairs:
        title = f"several pairs at {found.pairs[0].size_bytes} B, all together"
        titled(console, title, *(f"  {order.text}" for order in found.pairs))
    if found.explanations:
        titled(console, "explained", *(f"  {one.text}" for one in found.explanations))
    if found.recommendations:
        advice = (f"  {line}" for one in found.recommendations for line in one.lines())
        titled(console, "recommended, by evidence alone", *advice)
    for title, lines in (("undecided", found.undecided), ("not as declared", found.differences)):
        if lines:
            titled(console, title, "  " + listed(fold_names(lines), MOST_ROWS, "\n  "))
    if found.unobservable:
        names = listed(fold_names(found.unobservable), MOST_ROWS)
        console.print(f"\nnot observable: {names} (the nodes cannot fill them)", soft_wrap=True)
    print_thresholds(found.thresholds, meta, console)
    for warning in warnings:
        console.print(f"\nwarning: {warning.message} [{warning.code}]", soft_wrap=True)


def _print_paths(found: LimitFindings, console: Console) -> None:
    prefix = "" if found.network is None else f"network {found.network}: "
    if found.paths:
        between = listed(list(found.paths.lines()), MOST_ROWS, "\n  ")
        titled(console, f"{prefix}paths between leaves, payload", f"  {between}")
