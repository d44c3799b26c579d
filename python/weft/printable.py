"""Texts of strangers without what a terminal obeys: control characters of nodes, files and names become visible."""

from __future__ import annotations

import re

_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_IN_JSON = re.compile(
    rb"(?<!\\)((?:\\\\)*+)\\(?:u00(0[0-8b-f]|1[0-9a-f]|7f|[89][0-9a-f])|([bfr]))", re.IGNORECASE
)
_RAW = re.compile(rb"\x7f|\xc2([\x80-\x9f])")
_SHORT = {b"b": b"08", b"f": b"0c", b"r": b"0d"}


def printable(text: str) -> str:
    """C0 but for new lines and tabs, DEL and C1 as \\x1b and the like."""
    return _CONTROLS.sub(lambda found: f"\\x{ord(found[0]):02x}", text)


def printable_json(document: bytes) -> bytes:
    """The same of all texts of a JSON document, whose escapes they are there."""
    if b"\\" in document:
        document = _IN_JSON.sub(_shown, document)
    return _RAW.sub(lambda found: b"\\\\x" + (found[1] or b"\x7f").hex().encode(), document)


def _shown(found: re.Match[bytes]) -> bytes:
    number = found[2].lower() if found[2] else _SHORT[found[3].lower()]
    return found[1] + b"\\\\x" + number
