"""`weft explain`: what the code of a warning means, and what to do."""

from __future__ import annotations

import click

from weft.cli.output import json_option, print_json
from weft.cli.tables.layout import terminal, titled
from weft.runs.codes import codes, explained


@click.command()
@click.argument("code", required=False)
@json_option
def explain(code: str | None, as_json: bool) -> None:
    """Explain the CODE of a warning, or list all codes.

    Findings of `weft check` and causes of `weft diagnose` have codes, too.
    """
    found = codes() if code is None else explained(code)
    if as_json:
        print_json({"codes": found})
        return
    console = terminal(soft_wrap=True)
    if code is not None:
        for one in found:
            console.print(f"{code}: {one.where}", style="bold")
            console.print(f"  {one.means}\n  What to do: {one.do}")
        return
    for where in dict.fromkeys(one.where for one in found):
        mine = [one for one in found if one.where == where]
        width = max(len(one.code) for one in mine)
        titled(console, where, *(f"  {one.code:<{width}}  {one.means}" for one in mine))
