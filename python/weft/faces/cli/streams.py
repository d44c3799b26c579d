"""Standard output and error, to which no command writes control characters that came from elsewhere."""

from __future__ import annotations

import sys
from typing import Any, TextIO, cast

from weft.base.printable import printable


class TextStream:
    """A stream of text that writes them out. `as_it_is` is for colours of weft's own."""

    def __init__(self, stream: TextIO) -> None:
        self.as_it_is = stream

    def write(self, text: str) -> int:
        """As of a file."""
        return self.as_it_is.write(printable(text))

    def writelines(self, lines: list[str]) -> None:
        """As of a file."""
        self.as_it_is.writelines(map(printable, lines))

    def __getattr__(self, name: str) -> Any:
        return getattr(self.as_it_is, name)


def guard_streams() -> None:
    """Have all that is printed from now on be printable."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is not None and not isinstance(stream, TextStream):
            setattr(sys, name, cast(TextIO, TextStream(stream)))


def unguarded(stream: Any) -> Any:
    """What a console of colours writes to, which looks at each text itself."""
    return stream.as_it_is if isinstance(stream, TextStream) else stream
