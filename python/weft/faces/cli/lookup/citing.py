"""`weft cite`: how to cite weft, a run or a published value."""

from __future__ import annotations

import click

from weft.faces.cli.output import json_option, print_json


@click.command(epilog="Example: weft cite runs/pair")
@click.argument("what", metavar="[RUN|PUBLISHED]", required=False)
@json_option
def cite(what: str | None, as_json: bool) -> None:
    """Say how to cite weft, a run or a published value.

    RUN is a folder: its citation has the digest of its files, and a paragraph for the methods of a paper. PUBLISHED
    is a publication whose values the catalogue has, such as xibalba_aapc, or one of these, such as e7_asic_limit_mbps.
    """
    from weft.faces.api.publish.cite import cite as found_of  # Arrow is slow to import

    found = found_of(what)
    if as_json:
        print_json(found.found)
        return
    click.echo(f"{found.text}\n\n{found.bibtex}")
    if found.methods:
        click.echo(f"\n{found.methods}")
    if found.digest:
        click.echo(f"\nThe digest is that of {found.digest.command}")
