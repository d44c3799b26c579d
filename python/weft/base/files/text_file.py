"""Reading files of text: whole, decoded, as JSON or as TOML, or refused with the file and the byte.

Every text that weft reads and did not write in the same process comes through here, so that bytes that are no UTF-8,
brackets without end and numbers of thousands of digits are one message each.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator
from io import StringIO
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

import msgspec

from weft.base.errors import RequestError
from weft.base.files.regular_file import open_file

LONGEST_BYTES = 1 << 30
"""No file of text that weft reads whole is longer."""
_BYTE_ORDER_MARK = "\ufeff"
_MOST_DIGITS = 400
_LONG_NUMBER = re.compile(rf"(?<!\d)\d{{{_MOST_DIGITS}}}")
_DEEP = "brackets are nested too deeply"

_Type = TypeVar("_Type")


class ContentError(RequestError):
    """A text is not of the kind that it should be; the file itself could be read."""


def read_bytes(path: Path, longest_bytes: int = LONGEST_BYTES, or_pipe: bool = False) -> bytes:
    """All of a file; raises RequestError where it is none, cannot be read or is longer; FileNotFoundError."""
    with open_file(path, or_pipe) as file:
        content = file.read(longest_bytes + 1)
    if len(content) > longest_bytes:
        raise RequestError(f"{path}: more than {longest_bytes} bytes")
    return content


def read_text(path: Path, longest_bytes: int = LONGEST_BYTES, or_pipe: bool = False) -> str:
    """The text of a file, whose lines end as they do there; raises what `read_bytes` raises, ContentError where it is
    not UTF-8."""
    return decode(read_bytes(path, longest_bytes, or_pipe), str(path))


def lines_of(file: BinaryIO, name: str) -> Iterator[str]:
    """The lines of a file that may not fit into memory, each with the one "\n" at its end, whichever way it ends
    there; raises ContentError where one is not UTF-8."""
    at = 0
    for line in file:
        text = with_short_numbers(_decoded(line, name, at), name)
        at += len(line)
        yield from StringIO(text, newline=None) if "\r" in text else (text,)


def with_short_numbers(text: str, name: str) -> str:
    """The text; raises ContentError where it has a number of more digits than any has that is measured, so that what
    reads it may take digits for a number."""
    if _LONG_NUMBER.search(text):
        raise ContentError(f"{name}: a number of more than {_MOST_DIGITS} digits")
    return text


def decode(content: bytes, name: str) -> str:
    """UTF-8 as text, without a byte order mark; raises ContentError that names the first byte (from 0) that is none."""
    return _decoded(content, name)


def _decoded(content: bytes, name: str, before: int = 0) -> str:
    """`before` bytes of the file come before these."""
    try:
        text = content.decode()
    except UnicodeDecodeError as error:
        byte = before + error.start
        raise ContentError(f"{name}: byte {byte} is not UTF-8", "save it as UTF-8") from None
    return text if before else text.removeprefix(_BYTE_ORDER_MARK)


def read_json(
    path: Path,
    type: type[_Type],
    wrong: str = "",
    hint: str = "",
    dec_hook: Callable[[type, Any], Any] | None = None,
) -> _Type:
    """What a JSON file says; raises what `read_bytes` raises, and ContentError where it is no such document: then
    `wrong`, such as "damaged", stands behind the file's name."""
    name = f"{path}: {wrong}" if wrong else str(path)
    return parse_json(read_bytes(path), type, name, hint, dec_hook)


def parse_json(
    content: bytes | str,
    type: type[_Type],
    name: str,
    hint: str = "",
    dec_hook: Callable[[type, Any], Any] | None = None,
) -> _Type:
    """The same of the document itself; `name` says in the message what it is."""
    try:
        return msgspec.json.decode(content, type=type, dec_hook=dec_hook)
    except UnicodeError:
        # Only JSON's strings are checked as they are read, and each counts from its own start.
        decode(
            content.encode(errors="surrogatepass") if isinstance(content, str) else content, name
        )
        raise ContentError(f"{name}: a text in it is not UTF-8", hint) from None
    except RecursionError:
        raise ContentError(f"{name}: {_DEEP}", hint) from None
    except msgspec.DecodeError as error:
        raise ContentError(f"{name}: {error}", hint) from None


def parse_toml(text: str, name: str, hint: str = "") -> dict[str, Any]:
    """What TOML says; raises ContentError."""
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise ContentError(f"{name}: not TOML: {_DEEP}", hint) from None
    except ValueError as error:  # Also of numbers with more digits than Python converts.
        raise ContentError(f"{name}: not TOML: {error}", hint) from None
