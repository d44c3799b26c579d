"""`weft what-if`: the effect of a change of a network."""

from __future__ import annotations

from pathlib import Path

import click

from weft.base.errors import RequestError
from weft.decisions.what_if.alternative import alternative, read_alternatives
from weft.decisions.what_if.ask import WhatIfRequest, ask
from weft.decisions.what_if.verify import LAUNCHES
from weft.faces.cli.output import json_option, print_json
from weft.faces.cli.tables.progress import progress
from weft.faces.cli.tables.what_if import print_what_if


@click.command("what-if", epilog='Example: weft what-if two-racks --change "links.rack1.rate*=2"')
@click.argument("subject")
@click.option("--change", "changes", multiple=True, help="A change; several are made together.")
@click.option("--list", "file", metavar="FILE", help="TOML file of alternatives.")
@click.option(
    "--plan",
    "plans",
    multiple=True,
    metavar="PLAN",
    help="What to ask of the network; an all-to-all without.",
)
@click.option(
    "--set", "settings", multiple=True, metavar="KEY=VALUE", help="Change a key of the plans."
)
@click.option("--scale", type=click.FloatRange(min=1e-6, max=1e6), help="Multiply every rate.")
@click.option("--verify", is_flag=True, help="Build both networks as labs and measure them.")
@click.option(
    "--launches",
    default=LAUNCHES,
    show_default=True,
    type=click.IntRange(min=1),
    help="How often to measure each lab.",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="New folder for findings, fabrics and runs.",
)
@click.option("--prices", metavar="FILE", help="Prices instead of the fabric's own [cost].")
@json_option
def what_if(
    subject: str,
    changes: tuple[str, ...],
    file: str | None,
    plans: tuple[str, ...],
    settings: tuple[str, ...],
    scale: float | None,
    verify: bool,
    launches: int,
    out: Path | None,
    prices: str | None,
    as_json: bool,
) -> None:
    """Predict what changes of SUBJECT would bring.

    SUBJECT is a twin's folder, a fabric or a generator such as "clos(leaves=4,spines=1,hosts=8)". A change uses the
    names of the fabric's file: "links.backplane.rate=1.6 Gb/s", "remove n7", "add 8 hosts to rack2", "oversubscription
    1:1".
    """
    chosen = [alternative(changes)] if changes else []
    chosen += read_alternatives(file) if file else []
    asked = WhatIfRequest(
        subject,
        chosen,
        plans,
        [_setting(one) for one in settings],
        scale,
        verify,
        launches,
        out,
        prices,
    )
    with progress() as reporter:
        found = ask(asked, reporter)
    if as_json:
        print_json(found)
    else:
        print_what_if(found)


def _setting(text: str) -> tuple[str, str]:
    key, sign, value = text.partition("=")
    if not sign:
        raise RequestError(
            f"--set {text}: not KEY=VALUE", "such as --set steps.aapc.sizes='[\"1 MiB\"]'"
        )
    return key.strip(), value.strip()
