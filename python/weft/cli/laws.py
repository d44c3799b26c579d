"""`weft laws`: what it would bring to offload communication."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.table import Table

from weft.cli.layout import plain_table
from weft.cli.output import json_option, print_json
from weft.model.gamma_range import gamma_range
from weft.model.laws_modified import ModifiedLaws
from weft.model.regimes import Regime, regimes, slowest
from weft.statistics import Floats

MOST_ROWS = 60
"""Longer tables are for --json."""


@click.command()
@click.option(
    "--gamma",
    default="0:3.5",
    show_default=True,
    metavar="LOW:HIGH[:STEP]",
    help="Application work over communication work.",
)
@click.option("--p", type=float, required=True, help="Share of communication work that is moved.")
@click.option("--alpha", default=1.0, show_default=True, help="Host's speed over the NIC's.")
@click.option("--beta", default=1.0, show_default=True, help="Work left of what is moved.")
@click.option("--sigma", type=float, required=True, help="Share of the link the host can fill.")
@click.option("--delta-a", default=0.0, help="Modified LAWS: change of application work.")
@click.option("--delta-o", default=0.0, help="Modified LAWS: change of communication work.")
@click.option("--tau", default=0.0, help="Modified LAWS: change of all work left on the host.")
@click.option("--figures", metavar="DIR", help="Draw the gain over gamma there, as SVG and PNG.")
@json_option
def laws(gamma: str, figures: str | None, as_json: bool, **ratios: float) -> None:
    """Predict what offload brings over the application ratio gamma, by the LAWS model."""
    gammas, model = gamma_range(gamma), ModifiedLaws(**ratios)
    drawn = _draw(model, gammas, Path(figures)) if figures else []
    if as_json:
        print_json(_document(model, gammas, ratios) | {"figures": [str(path) for path in drawn]})
        return
    _print(Console(highlight=False, markup=False), model, gammas)
    for path in drawn:
        click.echo(path)


def _draw(model: ModifiedLaws, gammas: Floats, directory: Path) -> list[Path]:
    # Drawing takes long to import: no other command should wait for it.
    from weft.report.figures.laws import laws_figure

    return laws_figure(model, gammas).write(directory)


def _document(model: ModifiedLaws, gammas: Floats, ratios: dict[str, float]) -> dict[str, Any]:
    best = model.optimum(float(gammas[0]), float(gammas[-1]))
    return {
        "parameters": ratios,
        "points": list(_points(model, gammas)),
        "best": {"gamma": best.gamma, "gain": best.gain},
        "regimes": [each.to_json() for each in _regimes(model, gammas)],
    }


def _points(model: ModifiedLaws, gammas: Floats) -> Iterator[dict[str, Any]]:
    columns = (
        gammas.tolist(),
        model.before(gammas).tolist(),
        model.after(gammas).tolist(),
        model.gain(gammas).tolist(),
        slowest(model.times_before(gammas)),
        slowest(model.times_after(gammas)),
    )
    names = ("gamma", "before", "after", "gain", "limit_before", "limit_after")
    for row in zip(*columns, strict=True):
        yield dict(zip(names, row, strict=True))


def _print(console: Console, model: ModifiedLaws, gammas: Floats) -> None:
    best = model.optimum(float(gammas[0]), float(gammas[-1]))
    found = _regimes(model, gammas)
    is_cut = found[-1].trend == "rises" and best.gamma == found[-1].high
    beyond = ", where the range ends and it still rises" if is_cut else ""
    console.print(f"greatest gain {best.gain:+.1%} at gamma {best.gamma:.4g}{beyond}\n")
    console.print(_regimes_table(found))
    console.print("\nthroughput as a share of the link's", style="bold")
    console.print(_points_table(model, gammas))


def _regimes_table(found: list[Regime]) -> Table:
    table = plain_table("gamma from", "to", "limit before", "limit after", "gain")
    for each in found:
        ends = (f"{each.low:.4g}", f"{each.high:.4g}")
        table.add_row(*ends, each.limit_before, each.limit_after, each.trend)
    return table


def _points_table(model: ModifiedLaws, gammas: Floats) -> Table:
    every = -(-len(gammas) // MOST_ROWS)
    table = plain_table("gamma", "before", "after", "gain", "limit before", "limit after")
    for row in _points(model, gammas[::every]):
        shares = (f"{row['before']:.1%}", f"{row['after']:.1%}", f"{row['gain']:+.1%}")
        table.add_row(f"{row['gamma']:.4g}", *shares, row["limit_before"], row["limit_after"])
    return table


def _regimes(model: ModifiedLaws, gammas: Floats) -> list[Regime]:
    return regimes(model, float(gammas[0]), float(gammas[-1]))
