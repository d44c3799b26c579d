"""What an object says of itself: on a prompt, and in a notebook."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Protocol


def html_lines(lines: Sequence[str]) -> str:
    """A finding for a notebook: its first line is the title."""
    title, *others = map(escape, lines)
    items = "".join(f"<li>{line}</li>" for line in others)
    return f"<p><b>{title}</b></p><ul>{items}</ul>" if items else f"<p><b>{title}</b></p>"


class _Telling(Protocol):
    def lines(self) -> list[str]:
        """The finding: a title, then a line for each thing that was found."""


class Said:
    """Has an object that has `lines` say them; a mixin of structs, too, so without a metaclass."""

    __slots__ = ()

    def __repr__(self: _Telling) -> str:
        return "\n  ".join(self.lines())

    def _repr_html_(self: _Telling) -> str:
        return html_lines(self.lines())
