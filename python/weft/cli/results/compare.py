"""`weft compare`: two runs, size by size."""

from __future__ import annotations

import click

from weft.api.comparison import compare as compare_runs
from weft.cli.output import json_option, print_json_list
from weft.cli.tables.comparison import print_comparison


@click.command(epilog="Example: weft compare runs/after runs/before")
@click.argument("a")
@click.argument("b")
@json_option
def compare(a: str, b: str, as_json: bool) -> None:
    """Compare runs A and B: throughput of A over that of B."""
    comparison = compare_runs(a, b).compared
    if as_json:
        print_json_list(comparison.head(), "points", comparison.each())
    else:
        print_comparison(comparison)
