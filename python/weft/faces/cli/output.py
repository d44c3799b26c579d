"""Output of all commands: one JSON document, warnings, errors."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec

from weft.base.errors import WorkError
from weft.base.files.fresh_file import fresh_file
from weft.base.nodeset import fold
from weft.base.printable import indented, one_line, printable

if TYPE_CHECKING:
    from weft.runs.folder import RunFolder
    from weft.runs.meta import Warning
    from weft.understand.summary.predictions import PredictionCheck

json_option = click.option(
    "--json", "as_json", is_flag=True, help="Print one JSON document on standard output."
)
"""The option that every command has."""

AT_ONCE = 1000
"""Entries of a long list that are written at a time."""


def print_json(document: Any) -> None:
    """Print the document, dataclasses as objects; a number that JSON cannot represent is a bug."""
    click.echo(json.dumps(document, indent=1, allow_nan=False, default=plain))


def plain(value: Any) -> Any:
    """A value in types that JSON has; numbers of numpy become Python's."""
    return msgspec.to_builtins(value, enc_hook=lambda number: number.item())


def print_json_list(document: msgspec.Struct, name: str, entries: Iterable[msgspec.Struct]) -> None:
    """Print a document with one more list, an entry a line, which may be too long for memory."""
    encoder = msgspec.json.Encoder()
    head = encoder.encode(document).decode().removesuffix("}")
    sys.stdout.write(f"{head},\n{json.dumps(name)}: [")
    separator, remaining = "\n", iter(entries)
    while some := list(islice(remaining, AT_ONCE)):
        lines = encoder.encode_lines(some).decode().rstrip()
        sys.stdout.write(separator + lines.replace("\n", ",\n"))
        separator = ",\n"
    click.echo("]}")


def print_warnings(warnings: Iterable[Warning]) -> None:
    """Print warnings to standard error."""
    for warning in warnings:
        print_warning(f"{warning.message} [{warning.code}]", warning.hint)


def print_warning(message: str, hint: str = "") -> None:
    """Print a warning, and what to do about it."""
    click.echo(f"warning: {indented(message)}", err=True)
    if hint:
        click.echo(f"  hint: {indented(hint)}", err=True)


def print_run(run: RunFolder, as_json: bool, held: PredictionCheck | None = None) -> None:
    """Print a run's warnings, where it is, and its verdict with the next command; or all as JSON, with how its
    prediction compares."""
    directory, status = str(run.directory), run.meta.status
    warnings = [*run.meta.warnings, *(held.warnings if held else [])]
    if as_json:
        document = {"run": directory, "status": status, "warnings": warnings}
        print_json(document | ({"prediction": held.to_json()} if held else {}))
        return
    print_warnings(warnings)
    if lost := dict.fromkeys(entry["node"] for entry in run.meta.lost):
        click.echo(f"lost nodes: {one_line(fold(lost))}", err=True)
    click.echo(f"{one_line(directory)}: {one_line(status)}", err=True)
    _print_answer(run)


def _print_answer(run: RunFolder) -> None:
    """Print what a run came to, doubts first, and the command that says more."""
    from weft.understand.report.verdict import answer, doubts, next_command  # slow to import

    for line in (*doubts(run), *answer(run), next_command(run)):
        click.echo(one_line(line))


def write_file(path: Path, text: str, is_named: bool = True) -> None:
    """Write a requested file; raises WorkError. Unless the user named the file, a symbolic link in its place is not
    followed."""
    try:
        if is_named:
            path.write_text(printable(text))
        else:
            with fresh_file(path) as file:
                file.write(printable(text).encode())
    except OSError as error:
        raise WorkError(f"{path}: cannot write it: {error.strerror}") from None


def print_error(message: str, hint: str = "", page: str = "") -> None:
    """Print what is wrong, a hint, and the page that says more."""
    click.echo(f"error: {indented(message)}", err=True)
    if hint:
        click.echo(f"  hint: {indented(hint)}", err=True)
    if page:
        click.echo(f"  see {page}", err=True)
