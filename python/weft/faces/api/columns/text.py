"""How objects are shown: as text at a prompt, as HTML in a notebook."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from weft.base.result import Said as Said


def shown(value: object) -> str:
    """A value in a cell; numbers have at most six digits."""
    if value is None:
        return ""
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def text_table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table as text, with columns as wide as needed."""
    cells = [list(columns), *([shown(value) for value in row] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = (
        "  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True))
        for row in cells
    )
    return "\n".join(lines)


def html_table(title: str, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table as HTML for a notebook."""
    head = "".join(f"<th>{escape(name)}</th>" for name in columns)
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(shown(value))}</td>" for value in row) + "</tr>"
        for row in rows
    )
    return (
        f"<p>{escape(title)}</p><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    )
