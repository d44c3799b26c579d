"""The commands of `weft`, each imported on demand, so that no command waits for imports of others."""

from __future__ import annotations

import ast
from importlib import import_module
from pathlib import Path

import click
from click.shell_completion import CompletionItem

SECTIONS = {
    "Measure, such as `weft run signature --on lab:pair`": {
        "accept": "measure.accept.accept",
        "check": "measure.check.check",
        "demo": "measure.demo.demo",
        "lab": "measure.lab.lab",
        "ports": "measure.ports.ports",
        "run": "measure.run.run",
        "tune": "measure.tune.tune",
        "verify": "measure.verify.verify",
        "vm": "measure.vm.vm",
        "vpn": "measure.vpn.vpn",
        "watch": "watch.group.watch",
    },
    "Understand, such as `weft report runs/pair`": {
        "compare": "results.compare.compare",
        "diagnose": "results.diagnose.diagnose",
        "export": "results.exporting.export",
        "fit": "results.fit.fit",
        "import": "results.importing.import_",
        "recommend": "results.recommend.recommend",
        "report": "results.report.report",
        "serve": "results.serve.serve",
        "show": "results.show.show",
        "trace": "results.trace.trace",
    },
    "Model, such as `weft fabric show two-racks`": {
        "cost": "models.cost.cost",
        "decide": "models.decide.decide",
        "fabric": "models.fabric.fabric",
        "laws": "models.laws.laws",
        "machine": "models.machine.machine",
        "twin": "models.twin.twin",
        "what-if": "models.what_if.what_if",
    },
    "Look up, such as `weft list plans`": {
        "cite": "lookup.citing.cite",
        "completions": "shell.completions.completions",
        "doctor": "lookup.doctor.doctor",
        "explain": "lookup.explaining.explain",
        "list": "lookup.listing.list_",
    },
}
"""The purpose of each; the file below weft.faces.cli, and the function."""
HIDDEN = {"sweep-task": "models.sweep_task.sweep_task"}
"""Commands that only other programs call."""
_PLACES = {name: place for section in SECTIONS.values() for name, place in section.items()}


class Commands(click.Group):
    """A group of these commands."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Their names in alphabetical order."""
        return sorted(_PLACES)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """A command by its name; for an unknown name all are imported, so that click can suggest one."""
        if ctx.resilient_parsing:
            return _completing(cmd_name)
        places = _PLACES | HIDDEN
        for name in [cmd_name] if cmd_name in places else _PLACES:
            self.add_command(_load(places[name]))
        return super().get_command(ctx, cmd_name)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """The commands with this beginning, from the files' text, and options."""
        found = [name for name in self.list_commands(ctx) if name.startswith(incomplete)]
        items = [CompletionItem(name, help=_short_help(_PLACES[name], 80)) for name in found]
        return items + click.Command.shell_complete(self, ctx, incomplete)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The lists in `weft --help`, from the files' text, because importing all takes seconds."""
        width = formatter.width - 6 - max(map(len, _PLACES))
        for heading, places in SECTIONS.items():
            rows = [(name, _short_help(place, width)) for name, place in places.items()]
            with formatter.section(heading):
                formatter.write_dl(rows)


def _short_help(place: str, width: int) -> str:
    """The first sentence of a command's docstring."""
    file, _, function = place.rpartition(".")
    tree = ast.parse(Path(__file__).parent.joinpath(f"{file.replace('.', '/')}.py").read_text())
    named = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    return click.Command(function, help=ast.get_docstring(named[function])).get_short_help_str(
        width
    )


def _completing(name: str) -> click.Command | None:
    """A command with completion of its words."""
    from weft.faces.cli.shell.outline import (
        restored,  # here, because commands that run do not need it
    )

    return restored(name, lambda: _load(_PLACES[name])) if name in _PLACES else None


def _load(place: str) -> click.Command:
    file, _, function = place.rpartition(".")
    command = getattr(import_module(f"weft.faces.cli.{file}"), function)
    assert isinstance(command, click.Command)
    return command
