"""What every command prints: one JSON document, warnings, errors."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import click

from weft.run.meta import Warning

json_option = click.option(
    "--json", "as_json", is_flag=True, help="Print one JSON document on standard output."
)
"""The option that every command takes."""


def print_json(document: Any) -> None:
    """Print the document; a number that JSON cannot hold is a bug, not an extension."""
    click.echo(json.dumps(document, indent=1, allow_nan=False))


def print_warnings(warnings: Iterable[Warning]) -> None:
    """Print warnings where messages go: to standard error."""
    for warning in warnings:
        click.echo(f"warning: {warning.message}", err=True)
        if warning.hint:
            click.echo(f"  hint: {warning.hint}", err=True)


def print_error(message: str, hint: str = "") -> None:
    """Print what is wrong and what would be right."""
    click.echo(f"error: {message}", err=True)
    if hint:
        click.echo(f"  hint: {hint}", err=True)
