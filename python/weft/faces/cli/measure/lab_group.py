"""What `weft lab` and `weft vm` have in common: labs are found by name, shown, entered and removed."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import click

from weft.base.errors import RequestError
from weft.faces.cli.output import json_option, print_json, print_warnings
from weft.measure.testbed.lab import registry
from weft.measure.testbed.lab.registry import LabEntry
from weft.runs.meta import Warning


@dataclass(frozen=True)
class LabGroup:
    """The labs of a command: `name` is such as "lab", `what` stands behind the word lab, `has` says which are its own,
    `example` is a lab that its help names, and `again` tells how to build a stale one anew."""

    name: str
    what: str
    has: Callable[[LabEntry], bool]
    example: str
    again: Callable[[LabEntry], str]

    def entries(self) -> list[LabEntry]:
        """All of them, up and stale."""
        return list(filter(self.has, registry.entries()))

    def existing(self, name: str) -> LabEntry:
        """The lab of this name; raises RequestError."""
        known = {one.id: one for one in self.entries()}
        if name not in known:
            raise RequestError(f"no lab {name}{self.what}", f"labs: {', '.join(known) or 'none'}")
        return known[name]

    def up(self, name: str, node: str | None = None) -> LabEntry:
        """The lab of this name, which is up and has the node; raises RequestError."""
        entry = self.existing(name)
        if entry.state == "stale":
            raise RequestError(f"lab {name} is stale", self.again(entry))
        names = [one.name for one in entry.keeper.nodes]
        if node is not None and node not in names:
            raise RequestError(f"lab {name} has no node {node}", f"its nodes: {', '.join(names)}")
        return entry

    def add_commands(self, group: click.Group) -> None:
        """`down` and `exec`."""

        @group.command(
            epilog=f"Example: weft {self.name} down {self.example}",
            help=f"Remove labs{self.what}, also stale ones, and all processes in them.",
        )
        @click.argument("names", nargs=-1)
        @click.option("--all", "everything", is_flag=True, help=f"All labs{self.what}.")
        @json_option
        def down(names: tuple[str, ...], everything: bool, as_json: bool) -> None:
            self._remove(names, everything, as_json)

        @group.command(
            "exec",
            context_settings={"ignore_unknown_options": True},
            epilog=f"Example: weft {self.name} exec {self.example} n1 -- ip addr",
        )
        @click.argument("name")
        @click.argument("node")
        @click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED)
        @click.pass_context
        def exec_(context: click.Context, name: str, node: str, command: tuple[str, ...]) -> None:
            """Run COMMAND on NODE of a lab and return its exit status.

            In a guest it is a program of this machine, whose files guests can read, or of the guest's busybox.
            """
            argv = self.up(name, node).command(node, list(command))
            context.exit(subprocess.run(argv, check=False).returncode)

    def _remove(self, names: Sequence[str], everything: bool, as_json: bool) -> None:
        """Take labs down, and report what was killed in them."""
        if not names and not everything:
            hint = f"name one, or give --all; `weft {self.name} list` shows them"
            raise RequestError("which lab?", hint)
        entries = self.entries() if everything else [self.existing(name) for name in names]
        removed = {entry.id: registry.remove(entry) for entry in entries}
        if as_json:
            print_json({"removed": [{"id": lab, "killed": n} for lab, n in removed.items()]})
            return
        for lab, killed in removed.items():
            rest = f", {killed} processes in it were killed" if killed else ""
            click.echo(f"{lab} is down{rest}")


def print_up(entry: LabEntry, warnings: Sequence[Warning], what: str, as_json: bool) -> None:
    """Report that a lab is up, with `what` it is and its hosts."""
    if as_json:
        print_json(entry.summary() | {"warnings": [vars(one) for one in warnings]})
        return
    print_warnings(warnings)
    hosts = ", ".join(f"{node.name} {node.address}" for node in entry.keeper.nodes)
    click.echo(f"{entry.id} is up{what}: {hosts}")
