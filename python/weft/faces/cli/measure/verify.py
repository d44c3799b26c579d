"""`weft verify`: whether a recommendation helped."""

from __future__ import annotations

import click

from weft.base.errors import RequestError
from weft.faces.cli.approval import is_agreed, yes_option
from weft.faces.cli.measure.accept import showing
from weft.faces.cli.options import ON, nodes_option, on_help, ports_option
from weft.faces.cli.output import json_option, print_json


@click.command(epilog="Example: weft verify advice link-n7")
@click.argument("folder", metavar="DIR")
@click.argument("id", metavar="ID", required=False)
@click.option("--on", "testbed", metavar=ON, help=on_help("Where", "where it was measured"))
@click.option("--scale", type=float, help="Multiply a lab's rates.  [default: as it was]")
@nodes_option
@ports_option
@click.option(
    "--out", metavar="DIR", help="Folder for the runs.  [default: verify/ID-TIME in the first DIR]"
)
@yes_option
@json_option
@click.pass_context
def verify(
    context: click.Context,
    folder: str,
    id: str | None,
    testbed: str | None,
    scale: float | None,
    nodes: int | None,
    ports: str | None,
    out: str | None,
    yes: bool,
    as_json: bool,
) -> None:
    """Measure whether a recommendation helped.

    DIR is what `weft recommend --out` wrote, ID one of its recommendations, which was carried out since (or DIR#ID).
    The measurement that showed the problem is repeated, and compared with the one before and with the prediction. Exit
    code 0 if the effect is as expected, 1 if not.
    """
    from weft.decisions.recommendations.verify import VerifyRequest, side_effects_of_verification
    from weft.faces.api.recommend import verify as carry_out

    if id is None:
        folder, _, id = folder.rpartition("#")
        if not folder:
            raise RequestError(f"{id}: which recommendation?", "give `weft verify DIR ID`")
    named = side_effects_of_verification(VerifyRequest(folder, id, "", testbed))
    result = carry_out(
        folder,
        id,
        on=testbed,
        scale=scale,
        nodes=nodes,
        ports=ports,
        out=out,
        yes=is_agreed(folder, named, yes),
        showing=showing,
    )
    if as_json:
        print_json(result.to_json())
    else:
        for line in result.lines():
            click.echo(line)
    context.exit(0 if result.held else 1)
