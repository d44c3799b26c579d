"""`weft fit`: a model's parameters from what was measured."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import click
from rich.console import Console
from rich.table import Table

from weft.cli.layout import number, plain_table
from weft.cli.output import json_option, print_json
from weft.errors import RequestError
from weft.model import hockney
from weft.model.estimate import Estimate, Fitted
from weft.model.gamma_points import read_gamma_points
from weft.model.laws_fit import fit_laws, fit_laws_modified
from weft.run.folder import Run

Held = Mapping[str, float]

OPEN_NOTE = "open: the points do not bound it on that side, and its value is one of many; hold others to know it better"


def _fit_hockney(source: str, held: Held) -> Fitted:
    if held:
        raise RequestError("--hold: Hockney's model is fitted whole", "leave it out")
    return hockney.fit_with_intervals(Run.open(source))


MODELS: dict[str, Callable[[str, Held], Fitted]] = {
    "hockney": _fit_hockney,
    "laws": lambda source, held: fit_laws(read_gamma_points(source), held),
    "laws-modified": lambda source, held: fit_laws_modified(read_gamma_points(source), held),
}


@click.command()
@click.argument("source", metavar="RUN")
@click.option("--model", type=click.Choice(list(MODELS)), required=True, help="What to fit.")
@click.option(
    "--hold", "holds", multiple=True, metavar="NAME=VALUE", help="Keep a parameter there."
)
@json_option
def fit(source: str, model: str, holds: tuple[str, ...], as_json: bool) -> None:
    """Fit a model to RUN: parameters with intervals, and what is left.

    hockney is fitted to a run with a ping-pong; laws and laws-modified to a CSV or Parquet file with the columns
    gamma, before_mbps, after_mbps or gamma, gain.
    """
    fitted = MODELS[model](source, dict(_held(each) for each in holds))
    if as_json:
        print_json(fitted.to_json())
        return
    console = Console(highlight=False, markup=False)
    console.print(_title(fitted), style="bold")
    console.print(_parameters_table(fitted.estimates))
    if any(_is_open(each) for each in fitted.estimates):
        console.print(OPEN_NOTE)
    console.print(f"\nresiduals, {fitted.rms_error_pct:.2f} % (root mean square)", style="bold")
    console.print(_residuals_table(fitted))


def _held(text: str) -> tuple[str, float]:
    name, _, value = text.partition("=")
    try:
        return name, float(value)
    except ValueError:
        raise RequestError(f'--hold "{text}": not NAME=VALUE', "such as --hold p=0.55") from None


def _title(fitted: Fitted) -> str:
    if all(each.held or each.low is each.high is None for each in fitted.estimates):
        return f"{fitted.name}, without intervals"
    return f"{fitted.name}, intervals hold with {fitted.coverage:.1%}"


def _parameters_table(estimates: Sequence[Estimate]) -> Table:
    table = plain_table("", "value", "from", "to")
    for each in estimates:
        ends = ("held", "") if each.held else (_end(each.low), _end(each.high))
        table.add_row(each.name, number(each.value), *ends)
    return table


def _is_open(each: Estimate) -> bool:
    return not each.held and (each.low is None) != (each.high is None)


def _end(end: float | None) -> str:
    return "open" if end is None else number(end)


def _residuals_table(fitted: Fitted) -> Table:
    table = plain_table(fitted.axis, "", "measured", "model", "model is off")
    for each in fitted.residuals:
        values = (number(each.measured), number(each.predicted), f"{each.error_pct:+.2f} %")
        table.add_row(f"{each.at:g}", each.quantity, *values)
    return table
