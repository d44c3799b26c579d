"""`weft cost`: what a network costs."""

from __future__ import annotations

import click

from weft.faces.api.bill import bill
from weft.faces.cli.output import json_option, print_json
from weft.faces.cli.tables.cost import print_bill
from weft.network.cost.money import read_rates


@click.command(epilog="Example: weft cost xibalba-e7-config2 --per '28.8 GFlop/s'")
@click.argument("name")
@click.option("--prices", metavar="FILE", help="Prices instead of the fabric's own [cost].")
@click.option("--currency", metavar="CODE", help="Count in this currency, such as USD.")
@click.option(
    "--rate",
    "rates",
    multiple=True,
    metavar="CODE=X",
    help="1 CODE is X of --currency, in its prices' year.",
)
@click.option("--year", type=int, help="Count in money of this year.")
@click.option(
    "--inflation", type=float, metavar="PERCENT", help="Of --currency, each year between."
)
@click.option("--per", metavar="PERFORMANCE", help='Price per unit of "60 GFlop/s" or "12 Gb/s".')
@json_option
def cost(
    name: str,
    prices: str | None,
    currency: str | None,
    rates: tuple[str, ...],
    year: int | None,
    inflation: float | None,
    per: str | None,
    as_json: bool,
) -> None:
    """Add up what NAME costs, by items, node and port.

    NAME is a fabric, or a generator such as "fat-tree(k=16,hosts=1000)". Money of other currencies and years is
    converted only by --rate and --inflation.
    """
    found = bill(
        name,
        prices=prices,
        currency=currency,
        rates=read_rates(rates),
        year=year,
        inflation_pct=inflation,
    )
    unit = found.per(per) if per else None
    if as_json:
        print_json(found.sum.to_json() | {"per": unit})
    else:
        print_bill(found.sum, unit)
