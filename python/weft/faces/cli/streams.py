"""Standard output and error that filter out control characters of foreign origin."""

from __future__ import annotations

import sys
from typing import Any, TextIO, cast

from weft.base.printable import printable


class TextStream:
    """A text stream that escapes control characters. `as_it_is` is for weft's own colours."""

    def __init__(self, stream: TextIO) -> None:
        self.as_it_is = stream

    def write(self, text: str) -> int:
        """Write text, as a file does."""
        return self.as_it_is.write(printable(text))

    def writelines(self, lines: list[str]) -> None:
        """Write lines, as a file does."""
        self.as_it_is.writelines(map(printable, lines))

    def __getattr__(self, name: str) -> Any:
        return getattr(self.as_it_is, name)


def guard_streams() -> None:
    """Replace the standard streams, so that everything printed from now on is printable."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is not None and not isinstance(stream, TextStream):
            setattr(sys, name, cast(TextIO, TextStream(stream)))


def unguarded(stream: Any) -> Any:
    """The stream that a coloured console writes to, which checks each text itself."""
    return stream.as_it_is if isinstance(stream, TextStream) else stream
