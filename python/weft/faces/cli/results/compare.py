"""`weft compare`: two runs, size by size."""

from __future__ import annotations

import click

from weft.faces.api.comparison import compare as compare_runs
from weft.faces.cli.output import json_option, print_json_list
from weft.faces.cli.tables.comparison import print_comparison


@click.command(epilog="Example: weft compare runs/after runs/before")
@click.argument("a")
@click.argument("b")
@click.option(
    "--more-a", multiple=True, metavar="RUN", help="Another run of A's network; repeatable."
)
@click.option(
    "--more-b", multiple=True, metavar="RUN", help="Another run of B's network; repeatable."
)
@json_option
def compare(
    a: str, b: str, more_a: tuple[str, ...], more_b: tuple[str, ...], as_json: bool
) -> None:
    """Compare runs A and B: throughput of A over that of B.

    Launches of two runs can distinguish the networks only if runs differ no more than launches do. With four runs of
    each, or three of one and four of the other, this assumption is not needed: whole runs are compared. Measure them
    alternately.
    """
    comparison = compare_runs(a, b, more_a, more_b).compared
    if as_json:
        print_json_list(comparison.head(), "points", comparison.each())
    else:
        print_comparison(comparison)
