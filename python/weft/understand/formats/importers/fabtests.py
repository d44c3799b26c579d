"""fabtests and fi_pingpong: libfabric's tests of latency and bandwidth."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from weft.plan.pattern import Pingpong, Stream
from weft.understand.formats.importers.imported import Content, ImportOptions, Test, timed
from weft.understand.formats.importers.text import Cut, SourceLine, Text

SIGN = re.compile(
    r"\bbytes +(iters|#sent +#ack) +total +time +MB/sec +usec/xfer|^- \{ xfer_size: \d+, iterations:",
    re.MULTILINE,
)

_HEADER = re.compile(r"(name +)?bytes +(iters|#sent +#ack) +total +time +MB/sec +usec/xfer")
_COMMAND = re.compile(r"(?:\S*/)?(fi_\w+)\b.*:\s*$")
_PAIR = re.compile(r"(?<![\w/])([\w/]++): ([^,}\s]+)")
_NUMBER_WITH_UNIT = re.compile(r"=?(\d+(?:\.\d)?)([kmg]?)")
_POWER = {"": 0, "k": 1, "m": 2, "g": 3}

_CONVENTION = (
    "usec/xfer is the time of one transfer, in a ping-pong half the round trip; MB are 10^6 bytes; k, m and g are "
    "2^10, 2^20, 2^30 in sizes and 10^3, 10^6, 10^9 in counts; two transfers an iteration are a ping-pong, others a "
    "stream"
)


@dataclass(frozen=True)
class _Row:
    """A result; `total_bytes` is exact or has two digits."""

    line: SourceLine
    size_bytes: int
    iterations: int
    total_bytes: float
    each_ns: float

    @property
    def transfers(self) -> int:
        """The number of transfers per iteration."""
        return max(1, round(self.total_bytes / (self.size_bytes * self.iterations)))


@dataclass
class _Section:
    line: SourceLine
    name: str | None = None
    header: str = ""
    rows: list[_Row] = field(default_factory=list)


def read(text: Text, options: ImportOptions) -> Content:
    """fabtests' tables, or the lines of -m; raises RequestError, naming line and reason."""
    text.require(SIGN, "expected 'bytes iters total time MB/sec usec/xfer' or '- { xfer_size: ...'")
    sections, cut = _sections(text)
    tests = [_test(section) for section in sections if section.rows]
    return Content("fabtests", tests, _CONVENTION, cut=cut)


def _sections(text: Text) -> tuple[list[_Section], Cut | None]:
    found: list[_Section] = []
    for line in text.lines:
        if command := _COMMAND.match(line.text):
            found.append(_Section(line, command[1]))
        elif header := _HEADER.match(line.text):
            found.append(_Section(line, header=header[2]))
        elif line.text.startswith("- { xfer_size:"):
            if not line.text.rstrip().endswith("}"):
                return found, line.cut()
            if not found:
                found.append(_Section(line))
            found[-1].rows.append(_listed_row(line))
        elif found and found[-1].header and re.search(r"\d\.\d\ds", line.text):
            if line.is_open:
                return found, line.cut()
            found[-1].rows.append(_table_row(line))
    if not found or not found[-1].rows:
        return found, text.last.cut("the file ends before the first row of this test")
    return found, None


def _listed_row(line: SourceLine) -> _Row:
    """Reads a line of -m, which has exact numbers."""
    said = dict(_PAIR.findall(line.text))
    missing = {"xfer_size", "iterations", "total", "MB/sec", "usec/xfer"} - said.keys()
    if missing:
        raise line.refuse(f"no {min(missing)}", "give whole lines")
    size, iterations = (line.count(said[name], name) for name in ("xfer_size", "iterations"))
    total = line.value(said["total"], "total")
    return _row(line, size, iterations, total, said["MB/sec"], said["usec/xfer"])


def _table_row(line: SourceLine) -> _Row:
    """Reads a row: [name] size, count, [count], total, time, MB/sec, usec/xfer, Mxfers/sec."""
    fields = line.fields
    at = next((i for i, one in enumerate(fields) if re.fullmatch(r"\d+\.\d\ds", one)), 0)
    sizes = [one for one in fields[:at] if _NUMBER_WITH_UNIT.fullmatch(one)]
    if len(sizes) < 3 or len(fields) < at + 3:
        raise line.refuse("no result", "expected bytes, iters, total, time, MB/sec, usec/xfer")
    size, iterations = round(_with_unit(sizes[0], 1024)), round(_with_unit(sizes[1], 1000))
    return _row(line, size, iterations, _with_unit(sizes[-1], 1024), *fields[at + 1 : at + 3])


def _row(
    line: SourceLine, size: int, iterations: int, total: float, mbytes_s: str, each_us: str
) -> _Row:
    """A result, with its time from the column with more digits; raises RequestError if there is none."""
    if not size or not iterations:
        raise line.refuse("nothing was sent")
    rate, each = line.value(mbytes_s, "MB/sec"), line.value(each_us, "usec/xfer")
    if max(rate, each) <= 0:
        raise line.refuse("neither a rate nor a time")
    each_ns = (size / rate if rate > each else each) * 1e3
    return _Row(line, size, iterations, total, each_ns)


def _with_unit(field: str, base: int) -> float:
    match = _NUMBER_WITH_UNIT.fullmatch(field)
    assert match
    return float(match[1]) * float(base ** _POWER[match[2]])


def _test(section: _Section) -> Test:
    transfers = section.rows[0].transfers
    is_pingpong = "#sent" in section.header or transfers == 2
    timings = []
    for row in section.rows:
        messages = row.iterations * (1 if is_pingpong else row.transfers)
        elapsed_ns = (2 if is_pingpong else 1) * row.each_ns * messages
        timings.append(timed(row.line, row.size_bytes, messages, elapsed_ns))
    return Test(
        name=(section.name or ("pingpong" if is_pingpong else "bandwidth")).replace("_", "-"),
        pattern=Pingpong() if is_pingpong else Stream(window=transfers),
        transport="libfabric",
        timings=timings,
        line=section.line,
        facts={"test": section.name, "transfers_an_iteration": transfers},
    )
