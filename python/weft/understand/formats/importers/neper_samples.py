"""The rows of neper's --all-samples: cumulative counters of each flow."""

from __future__ import annotations

from collections.abc import Iterator

from weft.base.errors import RequestError
from weft.plan.pattern import Pingpong, Stream
from weft.understand.formats.importers.imported import (
    Content,
    ImportedTiming,
    ImportOptions,
    Test,
    counted,
)
from weft.understand.formats.importers.text import SourceLine, Text

HEADER = "tid,flow_id,time,"

_DEFAULT_BYTES = {"transactions": 1, "bytes_read": 16384}
_SIZE_WARNING = (
    "size-assumed",
    "the samples do not say how long the messages were: taken for neper's 1 byte, or 16384 of a stream",
    "say it with --size",
)

Reading = tuple[float, int]
"""A time in seconds, and the counter at that time."""


def read_samples(text: Text, options: ImportOptions, convention: str) -> Content:
    """Reads the samples, each as the growth since the previous one; raises RequestError, naming line and reason."""
    header = text.lines[0].text.split(",")
    counter = "transactions" if "transactions" in header else "bytes_read"
    if not {"tid", "flow_id", "time", counter} <= set(header):
        raise text.lines[0].refuse("not the header of neper's samples", f"expected {HEADER}...")
    timings: list[ImportedTiming] = []
    before: dict[tuple[str, str], Reading] = {}
    for line, row in _rows(text, header):
        flow = row["tid"], row["flow_id"]
        now = line.value(row["time"], "time"), line.count(row[counter], counter)
        if flow in before:
            timings += _added(line, counter, before[flow], now, options)
        before[flow] = now
    if len(before) > 1:
        raise RequestError(
            f"{text.path}: samples of {len(before)} flows at once", "measure with --num-flows=1"
        )
    is_rr = counter == "transactions"
    pattern = Pingpong() if is_rr else Stream(window=1)
    test = Test("rr" if is_rr else "stream", pattern, "tcp", timings, text.lines[0], repeats=True)
    return Content(
        "neper",
        [test] if timings else [],
        convention,
        "batch",
        cut=text.lines[-1].cut() if text.lines[-1].is_open else None,
        warnings=[] if options.size_bytes else [_SIZE_WARNING],
    )


def _rows(text: Text, header: list[str]) -> Iterator[tuple[SourceLine, dict[str, str]]]:
    """The complete rows, by the names of their columns."""
    for line in text.lines[1:]:
        fields = line.text.split(",")
        if not line.text or line.is_open:
            continue
        if len(fields) != len(header):
            raise line.refuse(f"{len(fields)} columns, the header has {len(header)}")
        yield line, dict(zip(header, fields, strict=True))


def _added(
    line: SourceLine, counter: str, old: Reading, new: Reading, options: ImportOptions
) -> list[ImportedTiming]:
    elapsed_ns, count = (new[0] - old[0]) * 1e9, new[1] - old[1]
    size = options.size_bytes or _DEFAULT_BYTES[counter]
    if elapsed_ns <= 0 or count <= 0:
        return []
    if counter == "transactions":
        return [ImportedTiming(line, size, count, round(elapsed_ns))]
    return [counted(line, size, count, elapsed_ns)]
