"""A twin on a terminal: its numbers, its errors, what it does not know."""

from __future__ import annotations

from weft.base.nodeset import fold
from weft.decisions.twin.tables import left_out_table, parameters_table
from weft.decisions.twin.twin import TwinDocument
from weft.faces.cli.tables.layout import print_table, terminal, titled


def print_twin(folder: str, twin: TwinDocument) -> None:
    """Print a twin; the verdict comes last."""
    console = terminal(soft_wrap=True)
    console.print(f"{folder}: {len(twin.nodes)} hosts, {fold(twin.nodes)}, from {twin.testbed}")
    known = parameters_table(twin).where("is_identified", True)
    print_table(console, known.titled("Known, with 90 % intervals"))
    if unknown := [f"{one.name}: {one.why}" for one in twin.parameters if not one.is_identified]:
        titled(console, "Not known", *unknown)
    if twin.held_out:
        print_table(console, left_out_table(twin))
    for warning in twin.warnings:
        console.print(f"warning: {warning}")
    console.print(f"\n{twin.verdict}")
