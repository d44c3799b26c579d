"""`weft recommend`: what to do about a cluster, by value."""

from __future__ import annotations

import click

from weft.faces.cli.options import split_settings
from weft.faces.cli.output import json_option, print_json


@click.command(epilog="Example: weft recommend runs/xray runs/tune --twin twins/mine --out advice")
@click.argument("folders", metavar="FOLDER...", nargs=-1, required=True)
@click.option(
    "--twin",
    metavar="TWIN",
    help="A twin's folder, or a fabric, which predicts effects.  [default: made of the runs]",
)
@click.option(
    "--plan", metavar="PLAN", help="What effects are stated on.  [default: aapc, blocks to suit]"
)
@click.option(
    "--set",
    "settings",
    metavar="KEY=VALUE",
    multiple=True,
    help="Change a key of the plan, such as steps.aapc.sizes='[\"1 MiB\"]'.",
)
@click.option(
    "--prices",
    metavar="PRICES",
    help="What upgrades cost: a price list or its file.  [default: the fabric's]",
)
@click.option("--out", metavar="DIR", help="Also write a folder, which `weft verify` takes.")
@json_option
def recommend(
    folders: tuple[str, ...],
    twin: str | None,
    plan: str | None,
    settings: tuple[str, ...],
    prices: str | None,
    out: str | None,
    as_json: bool,
) -> None:
    """Say what to do about a cluster, most valuable first.

    FOLDER is a run (xray, signature), a folder of tune, accept, watch or twin, or a file with the output of `weft check
    --json`; all are of one cluster. Also says what not to do. The result may be that nothing needs doing.
    """
    # Watches and their statistics are slow to import: no other command should wait for them.
    from weft.faces.api.recommend import recommend as work_out
    from weft.faces.cli.tables.recommendations import print_recommendations

    result = work_out(
        *folders,
        twin=twin,
        plan=plan,
        settings=split_settings(settings),
        prices=prices,
        out=out,
    )
    if as_json:
        print_json(result.found)
    else:
        print_recommendations(result.found, out)
