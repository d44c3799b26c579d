"""The commands of `weft`, each imported when it is asked for: no command waits for what only others need."""

from __future__ import annotations

import ast
from importlib import import_module
from pathlib import Path

import click

_PLACES = {
    "check": "check.check",
    "compare": "compare.compare",
    "demo": "demo.demo",
    "diagnose": "diagnose.diagnose",
    "export": "exporting.export",
    "fabric": "fabric.fabric",
    "fit": "fit.fit",
    "import": "importing.import_",
    "lab": "lab.lab",
    "laws": "laws.laws",
    "machine": "machine.machine",
    "report": "report.report",
    "run": "run.run",
    "show": "show.show",
    "trace": "trace.trace",
}
"""Where each is, below weft.cli: the file and the function."""


class Commands(click.Group):
    """A group of these commands."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Their names in the alphabet's order."""
        return sorted(_PLACES)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """A command by its name; for a name that there is not all come, so that click can say which was meant."""
        for name in [cmd_name] if cmd_name in _PLACES else _PLACES:
            self.add_command(_load(_PLACES[name]))
        return super().get_command(ctx, cmd_name)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list in `weft --help`, from the files' text: importing them all takes seconds."""
        width = formatter.width - 6 - max(map(len, _PLACES))
        rows = [(name, _short_help(_PLACES[name], width)) for name in self.list_commands(ctx)]
        with formatter.section("Commands"):
            formatter.write_dl(rows)


def _short_help(place: str, width: int) -> str:
    """The first sentence of a command's docstring."""
    file, _, function = place.partition(".")
    tree = ast.parse(Path(__file__).with_name(f"{file}.py").read_text())
    named = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    return click.Command(function, help=ast.get_docstring(named[function])).get_short_help_str(
        width
    )


def _load(place: str) -> click.Command:
    file, _, function = place.partition(".")
    command = getattr(import_module(f"weft.cli.{file}"), function)
    assert isinstance(command, click.Command)
    return command
