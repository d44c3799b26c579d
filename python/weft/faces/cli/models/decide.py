"""`weft decide`: which network to choose."""

from __future__ import annotations

import click

from weft.faces.api.decide import decide as carry_out
from weft.faces.api.decide import list_tasks
from weft.faces.cli.output import json_option, print_json
from weft.faces.cli.tables.decision import print_decision
from weft.faces.cli.tables.progress import progress


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
