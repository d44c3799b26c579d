"""`weft completions`: the script with which a shell completes weft's words."""

from __future__ import annotations

import click

from weft.faces.cli.shell.shells import SHELLS

PROGRAM = "weft"
VARIABLE = "_WEFT_COMPLETE"


@click.command(epilog="Example: weft completions bash")
@click.argument("shell", type=click.Choice(list(SHELLS)))
def completions(shell: str) -> None:
    """Print the script that completes weft's words in a SHELL.

    A wheel installs it where shells find such scripts. Without a wheel: source <(weft completions bash)
    """
    click.echo(script(shell), nl=False)


def script(shell: str) -> str:
    """The script for a shell."""
    return SHELLS[shell](click.Group(), {}, PROGRAM, VARIABLE).source()
