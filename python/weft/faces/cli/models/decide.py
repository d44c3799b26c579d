"""`weft decide`: which network to choose."""

from __future__ import annotations

from dataclasses import replace

import click
from rich.console import Console

from weft.base.table import ResultTable
from weft.decisions.decision.document import DesignDecision
from weft.decisions.decision.tables import (
    broken_table,
    designs_table,
    ranked,
    sensitivity_table,
)
from weft.faces.api.decide import decide as carry_out
from weft.faces.api.decide import list_tasks
from weft.faces.cli.output import json_option, print_json
from weft.faces.cli.tables.layout import print_table, terminal, titled
from weft.faces.cli.tables.progress import progress
from weft.faces.cli.tables.run_warnings import print_run_warnings


@click.command(epilog="Example: weft decide xibalba --out decisions/xibalba")
@click.argument("designs")
@click.option("--out", metavar="DIR", help="Folder of all results.  [default: decisions/NAME]")
@click.option("--resume", is_flag=True, help="Go on in the folder, with what is there already.")
@click.option(
    "--executor",
    default="processes",
    show_default=True,
    metavar="WHERE",
    help="processes, processes:8, slurm, dask:ADDRESS or mpi.",
)
@click.option("--list", "is_list", is_flag=True, help="Print a command for each part instead.")
@json_option
def decide(
    designs: str, out: str | None, resume: bool, executor: str, is_list: bool, as_json: bool
) -> None:
    """Say which of many networks to take, by price and time.

    DESIGNS is a TOML file of designs, workloads, constraints and uncertain quantities (docs/decide.md), or one of the
    catalogue's. All designs are simulated; those that cannot be are named. The commands that --list prints can run on
    any machine that sees the folder; --resume then collects their results.
    """
    if is_list:
        found = list_tasks(designs, out, resume)
        print_json({"commands": found}) if as_json else click.echo("\n".join(found))
        return
    decided = carry_out(
        designs,
        out=out,
        executor=executor,
        resume=resume,
        showing=lambda what: progress("simulations"),
    )
    if as_json:
        print_json({"folder": str(decided.directory), "decision": decided.decision})
        return
    print_decision(decided.decision)
    click.echo(f"{decided.directory}: decision.json, rows.parquet", err=True)


MOST_ROWS = 12
"""Longer lists are only in decision.json."""


def print_decision(found: DesignDecision) -> None:
    """The verdict first, then what it rests on."""
    console = terminal(soft_wrap=True)
    console.print(found.text, style="bold")
    for table in (designs_table(found, ranked(found)).titled(_title(found)), broken_table(found)):
        _print_first(console, table)
    if found.failed:
        lines = [f"  {one.name}: {one.why}" for one in found.failed[:MOST_ROWS]]
        titled(console, "Not simulated", *lines, *_more(len(found.failed)))
    _print_first(console, sensitivity_table(found))
    titled(console, "How to read it", *(f"  {line}" for line in found.basis))
    for note in found.notes:
        console.print(f"note: {note}")
    print_run_warnings(console, found.warnings)


def _print_first(console: Console, table: ResultTable) -> None:
    if table.rows:
        more = _more(len(table.rows))
        print_table(console, replace(table, rows=table.rows[:MOST_ROWS], remarks=more))


def _title(found: DesignDecision) -> str:
    if not any(one.cost for one in found.designs):
        return "All designs, the best first; none has a price"
    return f"All designs, the best first; {len(found.frontier)} on the frontier of price and time"


def _more(count: int) -> list[str]:
    return [f"  and {count - MOST_ROWS} more in decision.json"] if count > MOST_ROWS else []
