"""A TOML table whose keys are checked one by one; each complaint names the file, the line and the key."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeGuard

from weft import _core
from weft.base.errors import RequestError


@dataclass(frozen=True)
class Document:
    """A file and its text."""

    name: str
    text: str

    def where(self, key: str) -> str:
        """What messages call a key, as those of plans, fabrics and machines do: FILE:LINE: KEY."""
        return f"{self.name}:{_core.line_of(self.text, key)}: {key}"


class CheckedTable:
    """Values of a table by key and kind; a key that is missing is None. `path` is its place, such as `nodes[0].`."""

    def __init__(
        self, values: dict[str, object], document: Document, path: str, keys: Sequence[str]
    ) -> None:
        self._values = values
        self._document = document
        self._path = path
        for key in values:
            if key not in keys:
                raise self._wrong(key, _core.unknown_key(key, list(keys)))

    def __contains__(self, key: str) -> bool:
        return key in self._values

    def where(self, key: str) -> str:
        """What messages call a key."""
        return self._document.where(self._path + key)

    def text(self, key: str) -> str | None:
        """A text that is not empty."""
        value = self._values.get(key)
        if value is None or _is_text(value):
            return value
        raise self._wrong(key, "must be text in quotes, without control characters")

    def texts(self, key: str) -> list[str]:
        """A text or a list of texts."""
        value = self._values.get(key, [])
        listed = [value] if isinstance(value, str) else value
        if not isinstance(listed, list) or not all(map(_is_text, listed)):
            raise self._wrong(key, 'must be a list of texts, such as ["n1", "n2"]')
        return listed

    def number(self, key: str, least: int, most: int) -> int | None:
        """A whole number in a range."""
        value = self._values.get(key)
        if value is None:
            return None
        if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
            raise self._wrong(key, f"must be a whole number from {least} to {most}")
        return value

    def _wrong(self, key: str, right: str) -> RequestError:
        return RequestError(f"{self.where(key)} = {self._values[key]!r}: {right}")


def _is_text(value: object) -> TypeGuard[str]:
    """Whether it can be a name or a word of a command, which no byte of 0 may be in."""
    return isinstance(value, str) and bool(value.strip()) and value.isprintable()
