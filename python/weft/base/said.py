"""The text of a result object, on a prompt and in a notebook."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Protocol


def html_lines(lines: Sequence[str]) -> str:
    """Lines as HTML for a notebook: the first one is the title."""
    title, *others = map(escape, lines)
    items = "".join(f"<li>{line}</li>" for line in others)
    return f"<p><b>{title}</b></p><ul>{items}</ul>" if items else f"<p><b>{title}</b></p>"


class _Telling(Protocol):
    def lines(self) -> list[str]:
        """The lines: a title, then one for each finding."""


class Said:
    """A mixin whose `__repr__` and notebook view are the object's `lines`; without metaclass, so that structs can have
    it."""

    __slots__ = ()

    def __repr__(self: _Telling) -> str:
        return "\n  ".join(self.lines())

    def _repr_html_(self: _Telling) -> str:
        return html_lines(self.lines())
