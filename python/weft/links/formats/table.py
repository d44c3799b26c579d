"""CSV with a header: time, rtt_ms, and optionally src, dst, size, kind and network.

`time` is Unix time in seconds, or ISO 8601 (UTC without a zone); an empty `rtt_ms` is a loss; `size` is the payload in
bytes; `kind` is one of `weft.runs.probes.KINDS`.
"""

from __future__ import annotations

import csv
import math
import re
from collections import defaultdict
from collections.abc import Mapping
from datetime import UTC, datetime

from weft.links.formats.rows import MOST_BYTES, Rows, is_unix_time
from weft.links.formats.source import ProbeFile, ReadSeries
from weft.runs.probes import KINDS

COLUMNS = ("time", "src", "dst", "rtt_ms", "size", "kind", "network")
SIGN = re.compile(r"\A(?=[^\n]*\b(time|rtt_ms)\b)[^\n{}]*,")
_HINT = f"a header of {','.join(COLUMNS)}; time and rtt_ms are needed"

_Link = tuple[str, str, str, int]


def read(source: ProbeFile) -> ReadSeries:
    """A series for each link and kind of probe."""
    reader = csv.DictReader(source.lines, skipinitialspace=True, strict=True)
    links: dict[_Link, Rows] = defaultdict(Rows)
    try:
        _check_header(source, [name.strip() for name in reader.fieldnames or []])
        reader.fieldnames = [name.strip() for name in reader.fieldnames or []]
        for row in reader:
            _add(source, reader.line_num, row, links)
    except csv.Error as error:
        raise source.wrong(reader.line_num, f"not CSV: {error}") from None
    return ReadSeries([rows.series(src, dst, net) for (src, dst, net, _), rows in links.items()])


def _check_header(source: ProbeFile, names: list[str]) -> None:
    for name in names:
        if name not in COLUMNS:
            raise source.wrong(1, f"a column {name!r}", _HINT)
    if len(set(names)) < len(names):
        raise source.wrong(1, "a column twice", _HINT)
    for name in ("time", "rtt_ms"):
        if name not in names:
            raise source.wrong(1, f"no column {name}", _HINT)


def _add(
    source: ProbeFile, line: int, row: Mapping[str | None, str | None], links: dict[_Link, Rows]
) -> None:
    if None in row or None in row.values():
        raise source.wrong(line, "not as many values as the header has names")
    values = {name: (value or "").strip() for name, value in row.items() if name}
    try:
        unix_s, rtt_s = _time(values["time"]), _rtt(values["rtt_ms"])
        kind, size = _kind(values.get("kind", "")), _size(values.get("size", ""))
    except ValueError as error:
        raise source.wrong(line, str(error)) from None
    options = source.options
    src, dst = values.get("src") or options.here, values.get("dst") or options.dst or "there"
    rows = links[src, dst, values.get("network", ""), kind]
    rows.kind = kind
    rows.add(unix_s, rtt_s, size)


def _time(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = _iso_8601(text)
    if not is_unix_time(seconds):
        raise ValueError(f"time {text} is no Unix time in seconds and no ISO 8601")
    return seconds


def _iso_8601(text: str) -> float:
    try:
        moment = datetime.fromisoformat(text)
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return math.nan


def _rtt(text: str) -> float:
    if not text:
        return math.nan
    try:
        rtt_ms = float(text)
    except ValueError:
        rtt_ms = math.nan
    if not 0 <= rtt_ms < math.inf:
        raise ValueError(f"rtt_ms {text} is no time; a loss has nothing there")
    return rtt_ms / 1e3


def _size(text: str) -> int:
    if text and not (text.isdecimal() and int(text[:12]) <= MOST_BYTES):
        raise ValueError(f"size {text} is no number of bytes up to {MOST_BYTES}")
    return int(text or 0)


def _kind(text: str) -> int:
    if text and text not in KINDS:
        raise ValueError(f"kind {text} is none of {', '.join(KINDS)}")
    return KINDS.index(text) if text else 0
