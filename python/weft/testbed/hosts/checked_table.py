"""A TOML table whose keys are checked one by one; each complaint names the file, the table and the key."""

from __future__ import annotations

import difflib
from collections.abc import Collection
from typing import Any

from weft.errors import RequestError


class CheckedTable:
    """Values of a table by key and kind; a key that is missing is None."""

    def __init__(self, values: dict[str, Any], where: str, keys: Collection[str]) -> None:
        self._values = values
        self._where = where
        for key in values:
            if key not in keys:
                close = difflib.get_close_matches(key, keys, 1)
                hint = f"did you mean {close[0]}?" if close else f"keys: {', '.join(keys)}"
                raise RequestError(f"{where}: no key {key} is known here", hint)

    def __contains__(self, key: str) -> bool:
        return key in self._values

    def where(self, key: str) -> str:
        """What messages call a key."""
        return f"{self._where}: {key}"

    def text(self, key: str) -> str | None:
        """A text that is not empty."""
        value = self._values.get(key)
        if value is not None and (not isinstance(value, str) or not value.strip()):
            raise RequestError(f"{self.where(key)} = {value!r} is not a text", f'{key} = "..."')
        return value

    def texts(self, key: str) -> list[str]:
        """A text or a list of texts."""
        value = self._values.get(key, [])
        listed = [value] if isinstance(value, str) else value
        if not isinstance(listed, list) or not all(isinstance(one, str) and one for one in listed):
            raise RequestError(
                f"{self.where(key)} = {value!r} is not a list of texts", f'{key} = ["...", "..."]'
            )
        return listed

    def number(self, key: str, least: int, most: int) -> int | None:
        """A whole number in a range."""
        value = self._values.get(key)
        if value is None:
            return None
        if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
            raise RequestError(
                f"{self.where(key)} = {value!r} is not a whole number from {least} to {most}"
            )
        return value
