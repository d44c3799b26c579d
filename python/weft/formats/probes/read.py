"""A file of probes, in whichever format it is."""

from __future__ import annotations

from collections.abc import Iterator
from io import TextIOWrapper
from itertools import chain, islice
from pathlib import Path

from weft.diagnosis.links.series import Series
from weft.errors import RequestError
from weft.formats.probes import fping, ping, ripe_atlas
from weft.regular_file import open_file

_READERS = {"ping": ping, "fping": fping, "ripe-atlas": ripe_atlas}
FORMATS = tuple(_READERS)
_HEAD_LINES = 50


def read_probes(path: Path, src: str) -> tuple[str, list[Series]]:
    """The format, found by what only it has, and a series for each link; raises RequestError."""
    try:
        with TextIOWrapper(open_file(path, or_pipe=True), encoding="utf-8-sig") as file:
            head = list(islice(file, _HEAD_LINES))
            name = _name(path, "".join(head))
            found = _READERS[name].read(_lines(head, file), src)
    except FileNotFoundError:
        raise RequestError(f"{path}: no such file") from None
    except UnicodeDecodeError:
        raise RequestError(f"{path}: not a text file") from None
    if not found:
        raise RequestError(f"{path}: no probes with their times ({name})", "ping and fping need -D")
    return name, found


def _lines(head: list[str], rest: Iterator[str]) -> Iterator[str]:
    return chain(head, rest)


def _name(path: Path, head: str) -> str:
    for name, reader in _READERS.items():
        if reader.SIGN.search(head):
            return name
    raise RequestError(
        f"{path}: not a file of probes",
        f"give the output of ping -D -O or fping -D, or results of RIPE Atlas ({', '.join(FORMATS)})",
    )
