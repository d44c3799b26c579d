"""How tables on a terminal look."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.console import Console
from rich.table import Table


def terminal(soft_wrap: bool = False) -> Console:
    """Standard output, where nothing that is printed is markup."""
    return Console(highlight=False, markup=False, soft_wrap=soft_wrap)


def titled(console: Console, title: str, *parts: Table | str) -> None:
    """Parts below a title and an empty line."""
    console.print(f"\n{title}", style="bold")
    for part in parts:
        console.print(part, soft_wrap=isinstance(part, str))


def plain_table(*headings: str, rows: Iterable[Sequence[str]] = ()) -> Table:
    """A table without lines, to be read by people and by grep; columns with a heading stand at the right."""
    table = Table(box=None, padding=(0, 1))
    for heading in headings:
        table.add_column(heading, justify="right" if heading else "left")
    for row in rows:
        table.add_row(*row)
    return table


def number(value: float) -> str:
    """Four significant digits, whole numbers in full."""
    return f"{value:.0f}" if abs(value) >= 1000 else f"{value:#.4g}".rstrip(".")
