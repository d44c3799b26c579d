"""`weft fit`: a model's parameters from measurements."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import click
from rich.table import Table

from weft.base.errors import RequestError
from weft.base.quantity import number
from weft.faces.api.models.fit import fitted_model, models
from weft.faces.cli.output import json_option, print_json
from weft.faces.cli.tables.layout import plain_table, print_disturbed, print_table, terminal
from weft.network.model.estimate import Estimate, FittedModel, residuals_table
from weft.network.model.misfit import misfit_lines

OPEN_NOTE = "open: the points do not bound it on that side, and its value is one of many; hold others to narrow it"


@click.command(epilog="Example: weft fit runs/pair --model hockney")
@click.argument("sources", metavar="RUN [RUN]", nargs=-1, required=True)
@click.option("--model", type=click.Choice(list(models)), required=True, help="Model to fit.")
@click.option(
    "--hold", "holds", multiple=True, metavar="NAME=VALUE", help="Fix a parameter at a value."
)
@click.option(
    "--size", "size_bytes", type=int, metavar="BYTES", help="Message size to fit, in bytes."
)
@click.option(
    "--ceiling", is_flag=True, help="Fit a greatest throughput too, whatever its cause (laws)."
)
@json_option
def fit(
    sources: tuple[str, ...],
    model: str,
    holds: tuple[str, ...],
    size_bytes: int | None,
    ceiling: bool,
    as_json: bool,
) -> None:
    """Fit a model to RUN: parameters, intervals, residuals.

    hockney is fitted to a run with a ping-pong; laws and laws-modified to a run of gamma-sweep with offload, to two of
    them, before and after, or to a CSV or Parquet file with the columns gamma, before_mbps, after_mbps or gamma, gain.
    """
    held = dict(_held(each) for each in holds)
    fitted = fitted_model(model, sources, size_bytes, held, ceiling)
    if as_json:
        print_json(fitted.to_json())
        return
    console = terminal()
    for doubt in fitted.doubts:
        print_disturbed(console, doubt)
    console.print(_title(fitted), style="bold")
    console.print(_parameters_table(fitted.estimates))
    if any(_is_open(each) for each in fitted.estimates):
        console.print(OPEN_NOTE)
    for line in (*fitted.notes, *misfit_lines(fitted.misfits)):
        console.print(line)
    print_table(console, residuals_table(fitted))


def _held(text: str) -> tuple[str, float]:
    name, _, value = text.partition("=")
    try:
        return name, float(value)
    except ValueError:
        raise RequestError(f'--hold "{text}": not NAME=VALUE', "such as --hold p=0.55") from None


def _title(fitted: FittedModel) -> str:
    if fitted.doubts:
        return f"{fitted.name}, without intervals: nothing can be concluded from the run"
    if fitted.misfits:
        return f"{fitted.name}, without intervals: the run does not follow this model"
    if all(each.held or each.low is each.high is None for each in fitted.estimates):
        return f"{fitted.name}, without intervals"
    return f"{fitted.name}, intervals hold with {fitted.coverage:.1%}"


def _parameters_table(estimates: Sequence[Estimate]) -> Table:
    table = plain_table("", "value", "from", "to")
    for each in estimates:
        table.add_row(each.name, _value(each), *_ends(each))
    return table


def _ends(each: Estimate) -> tuple[str, str]:
    if each.held:
        return "held", ""
    return ("-", "-") if each.low is each.high is None else (_end(each.low), _end(each.high))


def _is_open(each: Estimate) -> bool:
    return not each.held and (each.low is None) != (each.high is None)


def _value(each: Estimate) -> str:
    """A value; one that is bounded on one side only is shown by its bound."""
    if each.held or (each.low is None) == (each.high is None):
        return number(each.value)
    if each.high is None:
        return f"> {_outwards(each.low, math.floor)}"
    return f"< {_outwards(each.high, math.ceil)}"


def _outwards(bound: float | None, rounded: Callable[[float], int]) -> str:
    """A bound with three digits, rounded outwards so that it still holds."""
    assert bound
    unit = 10.0 ** (math.floor(math.log10(abs(bound))) - 2)
    return f"{rounded(bound / unit) * unit:.15g}"


def _end(end: float | None) -> str:
    return "open" if end is None else number(end)
