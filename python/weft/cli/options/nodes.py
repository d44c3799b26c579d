"""Options of every command that uses real clusters: which of its nodes, and which ports there."""

import click

nodes_option = click.option(
    "--nodes", type=click.IntRange(min=1), help="Use so many of a real cluster's nodes."
)
ports_option = click.option("--ports", metavar="RANGE", help="Ports for data, such as 5000-5100.")
