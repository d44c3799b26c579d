"""How tables on a terminal look."""

from __future__ import annotations

from rich.table import Table


def plain_table(*headings: str) -> Table:
    """A table without lines, to be read by people and by grep; columns with a heading stand at the right."""
    table = Table(box=None, padding=(0, 1))
    for heading in headings:
        table.add_column(heading, justify="right" if heading else "left")
    return table


def number(value: float) -> str:
    """Four significant digits, whole numbers in full."""
    return f"{value:.0f}" if abs(value) >= 1000 else f"{value:#.4g}".rstrip(".")
