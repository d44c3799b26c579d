"""Findings as text."""

from __future__ import annotations

from rich.console import Console

from weft.base.alike import listed
from weft.base.nodeset import fold_names
from weft.faces.cli.tables.layout import print_disturbed, print_table, terminal, titled
from weft.faces.cli.tables.run.thresholds import print_thresholds
from weft.runs.meta import RunMeta
from weft.understand.host.disturbed import not_usable
from weft.understand.limits.findings import LimitFindings
from weft.understand.tables.limits import folded_tables

MOST_ROWS = 20
"""Longer lists are complete only in --json."""


def print_findings(found: LimitFindings, meta: RunMeta) -> None:
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
    for warning in meta.warnings:
        console.print(f"\nwarning: {warning.message} [{warning.code}]", soft_wrap=True)


def _print_paths(found: LimitFindings, console: Console) -> None:
    prefix = "" if found.network is None else f"network {found.network}: "
    if found.paths:
        between = listed(list(found.paths.lines()), MOST_ROWS, "\n  ")
        titled(console, f"{prefix}paths between leaves, payload", f"  {between}")
