"""Manual pages of the commands in man(7), generated from click's data."""

from __future__ import annotations

import os
import re
import textwrap
import time
from collections.abc import Iterator
from inspect import cleandoc

import click

from weft import __version__
from weft.faces.cli.commands import SECTIONS

WIDTH = 68
"""Width of a line before hyphens are escaped."""
_AS_IT_STANDS = "\b"
"""Marks a paragraph whose lines click does not wrap."""
_STATUS = {
    "0": "All went well.",
    "1": "The work failed, and a message on standard error says why; or a verdict, such as that of weft check, is bad.",
    "2": "The request was wrong; nothing was done.",
    "130": "Interrupted.",
}
_ENVIRONMENT = {
    "WEFT_BIN": "The folder with the agents weft-probe and weft-lab, in place of those that came with weft.",
}


def pages(weft: click.Command) -> Iterator[tuple[str, str]]:
    """The file name and the text of each page: weft.1, weft-run.1, weft-lab-up.1, ..."""
    return _pages(weft, click.Context(weft, info_name="weft"))


def _pages(command: click.Command, context: click.Context) -> Iterator[tuple[str, str]]:
    name = context.command_path.replace(" ", "-")
    yield f"{name}.1", "\n".join(_page(name, command, context)) + "\n"
    for below, one in _commands(command, context).items():
        yield from _pages(one, click.Context(one, parent=context, info_name=below))


def _commands(command: click.Command, context: click.Context) -> dict[str, click.Command]:
    if not isinstance(command, click.Group):
        return {}
    found = {name: command.get_command(context, name) for name in command.list_commands(context)}
    return {name: one for name, one in found.items() if one and not one.hidden}


def _page(name: str, command: click.Command, context: click.Context) -> Iterator[str]:
    day = time.gmtime(int(os.environ.get("SOURCE_DATE_EPOCH", time.time())))
    yield f'.TH {name.upper()} 1 "{time.strftime("%Y-%m-%d", day)}" "weft {__version__}"'
    yield ".SH NAME"
    yield f"{_safe(name)} \\-"
    yield from _wrapped(command.get_short_help_str(limit=200).rstrip("."))
    yield ".SH SYNOPSIS"
    pieces = " ".join(command.collect_usage_pieces(context))
    yield from (f".B {_safe(context.command_path)}", *_wrapped(pieces))
    yield ".SH DESCRIPTION"
    yield from _prose(cleandoc(command.help or ""))
    yield from _lists(name, command, context)
    yield from _terms(".SH OPTIONS", _options(command, context))
    if command.epilog:
        yield from (".SH EXAMPLES", *_wrapped(command.epilog.removeprefix("Example: ")))
    if context.parent is None:
        yield from _terms(".SH ENVIRONMENT", _ENVIRONMENT)
        yield from _terms(".SH EXIT STATUS", _STATUS)
    else:
        yield ".SH SEE ALSO"
        yield f".BR {_safe(context.parent.command_path.replace(' ', '-'))} (1)"


def _lists(name: str, command: click.Command, context: click.Context) -> Iterator[str]:
    """The commands of a group; those of weft itself under the headings of its help."""
    found = _commands(command, context)
    if not found:
        return
    yield ".SH COMMANDS"
    sections = SECTIONS if context.parent is None else {"": found}
    for heading, names in sections.items():
        terms = {f"{name}-{one}(1)": found[one].get_short_help_str(limit=200) for one in names}
        yield from _terms(f".SS {_safe(heading)}" if heading else "", terms)


def _options(command: click.Command, context: click.Context) -> dict[str, str]:
    options = [one for one in command.get_params(context) if isinstance(one, click.Option)]
    return dict(record for one in options if (record := one.get_help_record(context)))


def _terms(heading: str, terms: dict[str, str]) -> Iterator[str]:
    if heading and terms:
        yield heading
    for term, text in terms.items():
        yield from (".TP", f"\\fB{_safe(term)}\\fR", *_wrapped(text))


def _prose(text: str) -> Iterator[str]:
    for number, paragraph in enumerate(text.split("\n\n")):
        if number:
            yield ".PP"
        if paragraph.startswith(_AS_IT_STANDS):
            yield from (".nf", *map(_safe, paragraph.splitlines()[1:]), ".fi")
        else:
            yield from _wrapped(paragraph)


def _wrapped(text: str) -> list[str]:
    """Lines of limited length, with each sentence on a new line."""
    sentences = re.split(r"(?<=[.!?])\s+", " ".join(text.split()))
    parts = (textwrap.wrap(one, WIDTH, break_on_hyphens=False) for one in sentences)
    return [_safe(line) for part in parts for line in part]


def _safe(text: str) -> str:
    """Text with the characters escaped that man would interpret."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{text}" if text.startswith((".", "'")) else text
