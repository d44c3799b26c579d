"""`weft twin`: a measured network as a fabric file with intervals."""

from __future__ import annotations

import click
import msgspec

from weft.faces.api.twin import Twin, make_twin, open_twin
from weft.faces.cli.output import json_option, print_json
from weft.faces.cli.tables.twin import print_twin


class _Twins(click.Group):
    """RUN... makes a twin; `make` may be left out."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if args and args[0] not in (*self.commands, "-h", "--help"):
            args = ["make", *args]
        return super().parse_args(ctx, args)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command:
        """A name that is no command is a run."""
        return super().get_command(ctx, cmd_name) or self.commands["make"]


@click.group(cls=_Twins, epilog="Example: weft twin runs/xray runs/signature --out twins/mine")
def twin() -> None:
    """Make a fabric file of what runs measured, with intervals.

    `weft twin RUN... --out FOLDER` is short for `weft twin make`.
    """


@twin.command(epilog="Example: weft twin make runs/xray runs/signature --out twins/mine")
@click.argument("runs", nargs=-1, required=True, metavar="RUN...")
@click.option("--out", required=True, metavar="FOLDER", help="Where to write the twin.")
@click.option(
    "--draws", default=50, show_default=True, help="Networks that stand for what is not known."
)
@json_option
def make(runs: tuple[str, ...], out: str, draws: int, as_json: bool) -> None:
    """Fit a fabric file to the runs RUN... of one network.

    One of them should be an xray, which finds what nodes share; a signature or latency adds start-up; all others make
    the numbers better. Each pattern is also predicted from all others, which says how far the twin can be trusted.
    """
    _print(
        make_twin(runs, out=out, draws=draws, showing=lambda text: click.echo(text, err=True)),
        as_json,
    )


@twin.command(epilog="Example: weft twin show twins/mine")
@click.argument("folder", metavar="FOLDER")
@json_option
def show(folder: str, as_json: bool) -> None:
    """Show the numbers of the twin in FOLDER, and its errors."""
    _print(open_twin(folder), as_json)


def _print(found: Twin, as_json: bool) -> None:
    if as_json:
        document = msgspec.to_builtins(found.found)
        print_json({"twin": str(found.folder), "verdict": found.found.verdict, **document})
    else:
        print_twin(str(found.folder), found.found)
