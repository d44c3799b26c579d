"""Options that several commands share."""

from __future__ import annotations

import click

nodes_option = click.option(
    "--nodes", type=click.IntRange(min=1), help="Use the first N nodes of a real cluster."
)
ports_option = click.option("--ports", metavar="RANGE", help="Ports for data, such as 5000-5100.")
