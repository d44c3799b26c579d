"""`weft laws`: the predicted gain of offloading communication."""

from __future__ import annotations

from pathlib import Path

import click
from rich.console import Console

from weft.faces.api.models.laws import laws as offload
from weft.faces.cli.output import json_option, print_json
from weft.faces.cli.tables.layout import drawn, print_table, terminal
from weft.network.model.gain_curve import GainCurve
from weft.network.model.gain_tables import gains_table, regimes_table

MOST_ROWS = 60
"""Longer tables are only in --json."""


@click.command(epilog="Example: weft laws --gamma 0:3.5 --p 0.55 --beta 0.4 --sigma 0.62")
@click.option(
    "--gamma",
    default="0:3.5",
    show_default=True,
    metavar="LOW:HIGH[:STEP]",
    help="Application work over communication work.",
)
@click.option(
    "--p", type=float, required=True, help="Share of communication work that is offloaded."
)
@click.option(
    "--alpha", default=1.0, show_default=True, help="Speed of the host over that of the NIC."
)
@click.option(
    "--beta", default=1.0, show_default=True, help="Share of the offloaded work that remains."
)
@click.option(
    "--sigma", type=float, required=True, help="Share of the link that the host can fill."
)
@click.option("--delta-a", default=0.0, help="Modified LAWS: change of application work.")
@click.option("--delta-o", default=0.0, help="Modified LAWS: change of communication work.")
@click.option("--tau", default=0.0, help="Modified LAWS: change of all work left on the host.")
@click.option(
    "--ceiling", default=0.0, help="The host's rate over the greatest throughput there is; 0: none."
)
@click.option("--figures", metavar="DIR", help="Draw the gain over gamma there, as SVG and PNG.")
@json_option
def laws(gamma: str, figures: str | None, as_json: bool, **ratios: float) -> None:
    """Predict the gain of offloading over gamma (LAWS model)."""
    curve = offload(gamma=gamma, **ratios).curve
    drawn = _draw(curve, Path(figures)) if figures else []
    if as_json:
        found = {"parameters": ratios} | curve.to_json()
        print_json(found | {"figures": [str(path) for path in drawn]})
        return
    _print(terminal(), curve)
    for path in drawn:
        click.echo(path)


def _draw(curve: GainCurve, directory: Path) -> list[Path]:
    # Drawing is slow to import: no other command should wait for it.
    from weft.understand.report.figures.laws import laws_figure

    return laws_figure(curve.model, curve.gammas).write(directory)


def _print(console: Console, curve: GainCurve) -> None:
    best = curve.best
    beyond = ", where the range ends and it still rises" if curve.still_rises else ""
    console.print(f"greatest gain {best.gain:+.1%} at gamma {best.gamma:.4g}{beyond}\n")
    console.print(drawn(regimes_table(curve), console.width))
    every = -(-len(curve.gammas) // MOST_ROWS)
    print_table(console, gains_table(curve.points(every)))
