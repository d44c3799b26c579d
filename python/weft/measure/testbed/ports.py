"""A range of ports for data."""

from __future__ import annotations

import re

from msgspec import Struct

from weft.base.errors import RequestError


class PortRange(Struct, frozen=True, array_like=True):
    """Ports from `first` to `last`; agents read it as a list of the two."""

    first: int
    last: int

    @classmethod
    def parse(cls, text: str, where: str) -> PortRange:
        """The range in a user's text, or a single port; raises RequestError."""
        match = re.fullmatch(r"\s*(\d{1,5})\s*(?:-\s*(\d{1,5})\s*)?", text)
        first, last = (int(match[1]), int(match[2] or match[1])) if match else (0, 0)
        if not 1 <= first <= last <= 65535:
            raise RequestError(
                f"{where}: {text!r} is not a range of ports", "for example 5000-5100"
            )
        return cls(first, last)

    def __str__(self) -> str:
        return str(self.first) if self.first == self.last else f"{self.first}-{self.last}"

    def __len__(self) -> int:
        return self.last - self.first + 1
