"""What every command prints: one JSON document, warnings, errors."""

from __future__ import annotations

import json
import sys
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


def print_json_list(document: dict[str, Any], name: str, entries: Iterable[Any]) -> None:
    """Print a document with a list that is too long to be held, an entry a line."""
    for key, value in document.items():
        start = "," if key != next(iter(document)) else "{"
        click.echo(f"{start}{json.dumps(key)}: {json.dumps(value, allow_nan=False)}")
    click.echo(f",{json.dumps(name)}: [", nl=False)
    out = sys.stdout  # echo would write out each entry by itself
    separator = "\n "
    for entry in entries:
        out.write(separator + json.dumps(entry, allow_nan=False))
        separator = ",\n "
    click.echo("]}")


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
