"""How a result object is shown: its text on a prompt and in a notebook, and its JSON document."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import ClassVar, Protocol

import msgspec


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


class Documented:
    """A mixin for dataclasses and structs: their JSON document has the properties in `DERIVED`, then the fields."""

    __slots__ = ()
    DERIVED: ClassVar[tuple[str, ...]] = ()

    def to_json(self) -> dict[str, object]:
        """The document: objects, lists and what JSON has types for."""
        fields = getattr(self, "__struct_fields__", ()) or getattr(self, "__dataclass_fields__", ())
        return {name: documented(getattr(self, name)) for name in (*self.DERIVED, *fields)}


def documented(value: object) -> object:
    """A value of a document: each `Documented` in it as its document, other objects by their fields, and what JSON has
    no type for as text. Numbers of numpy become Python's."""
    if isinstance(value, Documented):
        return value.to_json()
    if isinstance(value, dict):
        return {key: documented(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [documented(one) for one in value]
    return msgspec.to_builtins(value, enc_hook=_plain)


def _plain(value: object) -> object:
    return value.item() if hasattr(value, "item") else str(value)
