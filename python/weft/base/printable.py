"""Make untrusted text safe for a terminal: characters that move the cursor, hide text or start a line are escaped."""

from __future__ import annotations

import re

_UNSEEN = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f"  # C0 but for tab and newline, DEL, C1
    "\u2028\u2029\u202a-\u202e\u2066-\u2069"  # line and paragraph separators, bidirectional controls
    "\ud800-\udfff"  # bytes of file names that are not UTF-8
)
_IN_TEXT = re.compile(rf"(?!\r\n)[{_UNSEEN}]")
_IN_LINE = re.compile(rf"[\n{_UNSEEN}]")


def printable(text: str) -> str:
    """Text of several lines; invisible characters become escapes such as \\u001b, as in JSON."""
    return _IN_TEXT.sub(_code, text)


def one_line(text: str) -> str:
    """Text for one line, such as a name in a table: line ends are escaped, too."""
    return _IN_LINE.sub(_code, text)


def indented(text: str) -> str:
    """A message with its further lines indented, so that none looks like one of weft's own."""
    return printable(text).rstrip("\n").replace("\n", "\n    ")


def _code(found: re.Match[str]) -> str:
    return f"\\u{ord(found[0]):04x}"
