"""The commands' names, options and words without their code, because completion has no time to import it.

A wheel contains the outline (`tools/wheel` writes it); a checkout has none and imports the command.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import click
import msgspec
from msgspec import Struct

from weft.faces.cli.shell.values import complete

FILE = Path(__file__).parent / "outline.json"


class CommandParameter(Struct, omit_defaults=True):
    """An option, or an argument if it has no `opts`; `words` are its only possible values, if they are limited."""

    name: str
    opts: list[str] = []
    secondary: list[str] = []
    is_flag: bool = False
    nargs: int = 1
    multiple: bool = False
    words: list[str] = []
    metavar: str | None = None
    help: str = ""


class Outline(Struct, omit_defaults=True):
    """A command, or a group if it has `commands`."""

    help: str
    parameters: list[CommandParameter] = []
    commands: dict[str, Outline] = {}


def outline(command: click.Command, context: click.Context) -> Outline:
    """The outline of a command."""
    inside = click.Context(command, parent=context)
    names = command.list_commands(inside) if isinstance(command, click.Group) else []
    found = {name: command.get_command(inside, name) for name in names}  # type: ignore[attr-defined]
    return Outline(
        command.get_short_help_str(limit=80),
        [_parameter(one) for one in command.params],
        {name: outline(one, inside) for name, one in found.items() if one and not one.hidden},
    )


def _parameter(one: click.Parameter) -> CommandParameter:
    option = one if isinstance(one, click.Option) else None
    return CommandParameter(
        name=one.name or "",
        opts=list(one.opts) if option else [],
        secondary=list(one.secondary_opts),
        is_flag=bool(option and option.is_flag),
        nargs=one.nargs,
        multiple=one.multiple,
        words=[str(word) for word in one.type.choices]
        if isinstance(one.type, click.Choice)
        else [],
        metavar=one.metavar,
        help=(option and option.help) or "",
    )


def restored(name: str, load: Callable[[], click.Command]) -> click.Command:
    """A command that completes words and does nothing else; `load` gives the real one if there is no outline."""
    kept = msgspec.json.decode(FILE.read_bytes(), type=Outline).commands if FILE.exists() else {}
    known = kept[name] if name in kept else outline(load(), click.Context(click.Group("weft")))
    return _restored_command(name, known)


def _restored_command(name: str, known: Outline) -> click.Command:
    parameters = [_restored(one) for one in known.parameters]
    if not known.commands:
        return click.Command(name, params=parameters, help=known.help)
    below = {one: _restored_command(one, each) for one, each in known.commands.items()}
    return click.Group(name, commands=below, params=parameters, help=known.help)


def _restored(one: CommandParameter) -> click.Parameter:
    takes = click.Choice(one.words) if one.words else click.STRING
    finds = None if one.words else complete
    if not one.opts:
        return click.Argument(
            [one.name],
            type=takes,
            nargs=one.nargs,
            metavar=one.metavar,
            required=False,
            shell_complete=finds,
        )
    names = [one.name, *one.opts]
    if one.is_flag:
        names[-1] = "/".join([names[-1], *one.secondary])
        return click.Option(names, is_flag=True, multiple=one.multiple, help=one.help)
    return click.Option(
        names,
        type=takes,
        nargs=one.nargs,
        multiple=one.multiple,
        metavar=one.metavar,
        help=one.help,
        shell_complete=finds,
    )
