"""Read probe files, detecting their format."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from itertools import chain, islice
from pathlib import Path
from typing import BinaryIO

from weft.base.errors import RequestError
from weft.base.files.regular_file import open_file
from weft.base.files.text_file import lines_of
from weft.links.analysis.series import ProbeSeries
from weft.links.formats import (
    fping,
    fping_lists,
    owamp,
    ping,
    pscheduler,
    ripe_atlas,
    smokeping,
    table,
)
from weft.links.formats.rows import OutOfRangeError, merged
from weft.links.formats.source import ProbeFile, ProbeOptions, ReadSeries

_READERS = {
    "ping": ping,
    "fping": fping,
    "fping-lists": fping_lists,
    "owamp": owamp,
    "smokeping": smokeping,
    "ripe-atlas": ripe_atlas,
    "pscheduler": pscheduler,
    "csv": table,
}
FORMATS = tuple(_READERS)
_HEAD_LINES = 50


def read_all(paths: Iterable[Path], options: ProbeOptions) -> tuple[list[str], ReadSeries]:
    """Return the formats found, and one series for each link (src, dst, network) of all files; raises RequestError."""
    names: dict[str, None] = {}
    links: dict[tuple[str, str, str], list[ProbeSeries]] = defaultdict(list)
    notes = []
    for path in paths:
        name, found = read_probes(path, options)
        names[name] = None
        notes += [f"{path}: {note}" for note in found.notes]
        for one in found.series:
            links[one.src, one.dst, one.network].append(one)
    return list(names), ReadSeries([merged(parts) for parts in links.values()], notes)


def read_probes(path: Path, options: ProbeOptions) -> tuple[str, ReadSeries]:
    """Return the detected format and the series of a file; raises RequestError if it is none, damaged or without
    probes."""
    try:
        with open_file(path, or_pipe=True) as file:
            name, found = _read(path, file, options)
    except FileNotFoundError:
        raise RequestError(f"{path}: no such file") from None
    except RecursionError:
        raise RequestError(f"{path}: nested too deeply") from None
    except OutOfRangeError as error:
        raise RequestError(f"{path}: {error}") from None
    if not found.series:
        raise RequestError(
            f"{path}: no probes with their times ({name})",
            "; ".join(found.notes) or ("fping needs -D" if name == "fping" else ""),
        )
    return name, found


def _read(path: Path, file: BinaryIO, options: ProbeOptions) -> tuple[str, ReadSeries]:
    if file.peek(len(smokeping.MAGIC)).startswith(smokeping.MAGIC):  # type: ignore[attr-defined]
        return "smokeping", smokeping.read_database(path, options)
    text = lines_of(file, str(path))
    head = list(islice(text, _HEAD_LINES))
    name = _name(path, "".join(head))
    return name, _READERS[name].read(ProbeFile(path, chain(head, text), options))


def _name(path: Path, head: str) -> str:
    if not head.strip():
        raise RequestError(f"{path}: empty")
    for name, reader in _READERS.items():
        if reader.SIGN.search(head):
            return name
    raise RequestError(f"{path}: not a file of probes", f"the formats are {', '.join(FORMATS)}")
