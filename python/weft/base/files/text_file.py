"""Read text files: whole, decoded, as JSON or as TOML; errors name the file and the byte.

All text that weft reads and did not write in the same process is read here, so that invalid UTF-8, unclosed brackets
and numbers of thousands of digits give one message each.
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
"""Maximum size of a text file that is read whole."""
_BYTE_ORDER_MARK = "\ufeff"
_MOST_DIGITS = 400
_LONG_NUMBER = re.compile(rf"(?<!\d)\d{{{_MOST_DIGITS}}}")
_DEEP = "brackets are nested too deeply"

_Type = TypeVar("_Type")


class ContentError(RequestError):
    """The file could be read, but its contents are invalid."""


def read_bytes(path: Path, longest_bytes: int = LONGEST_BYTES, or_pipe: bool = False) -> bytes:
    """Read a whole file; raises FileNotFoundError, and RequestError if it is no file, cannot be read or is too long."""
    with open_file(path, or_pipe) as file:
        content = file.read(longest_bytes + 1)
    if len(content) > longest_bytes:
        raise RequestError(f"{path}: more than {longest_bytes} bytes")
    return content


def read_text(path: Path, longest_bytes: int = LONGEST_BYTES, or_pipe: bool = False) -> str:
    """Read a text file, keeping its line ends; raises ContentError if it is not UTF-8, and the errors of
    `read_bytes`."""
    return decode(read_bytes(path, longest_bytes, or_pipe), str(path))


def lines_of(file: BinaryIO, name: str) -> Iterator[str]:
    """Iterate over the lines of a file that may not fit into memory; each ends with one "\n", whatever its line end in
    the file. Raises ContentError if a line is not UTF-8."""
    at = 0
    for line in file:
        text = with_short_numbers(_decoded(line, name, at), name)
        at += len(line)
        yield from StringIO(text, newline=None) if "\r" in text else (text,)


def with_short_numbers(text: str, name: str) -> str:
    """Return the text; raises ContentError if it has a number with more digits than any measured one, so that callers
    may parse digits as numbers."""
    if _LONG_NUMBER.search(text):
        raise ContentError(f"{name}: a number of more than {_MOST_DIGITS} digits")
    return text


def decode(content: bytes, name: str) -> str:
    """Decode UTF-8, without a byte order mark; raises ContentError that names the first invalid byte (from 0)."""
    return _decoded(content, name)


def _decoded(content: bytes, name: str, before: int = 0) -> str:
    """Decode a part of a file that starts at byte `before`."""
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
    """Read a JSON file as `type`; raises the errors of `read_bytes`, and ContentError if it does not conform: the
    message then has `wrong`, such as "damaged", after the file's name."""
    name = f"{path}: {wrong}" if wrong else str(path)
    return parse_json(read_bytes(path), type, name, hint, dec_hook)


def parse_json(
    content: bytes | str,
    type: type[_Type],
    name: str,
    hint: str = "",
    dec_hook: Callable[[type, Any], Any] | None = None,
) -> _Type:
    """Parse a JSON document as `type`; raises ContentError, in which `name` identifies the document."""
    try:
        return msgspec.json.decode(content, type=type, dec_hook=dec_hook)
    except UnicodeError:
        # msgspec only checks strings, and reports byte positions from the start of each.
        decode(
            content.encode(errors="surrogatepass") if isinstance(content, str) else content, name
        )
        raise ContentError(f"{name}: a text in it is not UTF-8", hint) from None
    except RecursionError:
        raise ContentError(f"{name}: {_DEEP}", hint) from None
    except msgspec.DecodeError as error:
        raise ContentError(f"{name}: {error}", hint) from None


def parse_toml(text: str, name: str, hint: str = "") -> dict[str, Any]:
    """Parse TOML; raises ContentError."""
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise ContentError(f"{name}: not TOML: {_DEEP}", hint) from None
    except ValueError as error:  # Also for numbers with more digits than Python converts.
        raise ContentError(f"{name}: not TOML: {error}", hint) from None
