"""fabtests and fi_pingpong: libfabric's tests of latency and bandwidth."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from weft.formats.importers.imported import Content, Options, Test, Timing
from weft.formats.importers.text import Cut, Text
from weft.plan.pattern import Pingpong, Stream

SIGN = re.compile(
    r"\bbytes +(iters|#sent +#ack) +total +time +MB/sec +usec/xfer|^- \{ xfer_size: \d+, iterations:",
    re.MULTILINE,
)

_HEADER = re.compile(r"(name +)?bytes +(iters|#sent +#ack) +total +time +MB/sec +usec/xfer")
_COMMAND = re.compile(r"(?:\S*/)?(fi_\w+)\b.*:\s*$")
_PAIR = re.compile(r"([\w/]+): ([^,}\s]+)")
_NUMBER_WITH_UNIT = re.compile(r"=?(\d+(?:\.\d)?)([kmg]?)")
_POWER = {"": 0, "k": 1, "m": 2, "g": 3}

_CONVENTION = (
    "usec/xfer is the time of one transfer, in a ping-pong half the round trip; MB are 10^6 bytes; k, m and g are "
    "2^10, 2^20, 2^30 in sizes and 10^3, 10^6, 10^9 in counts; two transfers an iteration are a ping-pong, others a "
    "stream"
)


@dataclass(frozen=True)
class _Row:
    """A result; `total_bytes` is exact or to two digits."""

    line: int
    size_bytes: int
    iterations: int
    total_bytes: float
    each_ns: float

    @property
    def transfers(self) -> int:
        """Transfers an iteration."""
        return max(1, round(self.total_bytes / (self.size_bytes * self.iterations)))


@dataclass
class _Section:
    line: int
    name: str | None = None
    header: str = ""
    rows: list[_Row] = field(default_factory=list)


def read(text: Text, options: Options) -> Content:
    """Tables, or the lines of -m; raises RequestError, naming line and reason."""
    text.require(SIGN, "expected 'bytes iters total time MB/sec usec/xfer' or '- { xfer_size: ...'")
    sections, cut = _sections(text)
    tests = [_test(section, options) for section in sections if section.rows]
    return Content("fabtests", tests, _CONVENTION, cut=cut)


def _sections(text: Text) -> tuple[list[_Section], Cut | None]:
    found: list[_Section] = []
    for number, line in text.numbered():
        if command := _COMMAND.match(line):
            found.append(_Section(number, command[1]))
        elif header := _HEADER.match(line):
            found.append(_Section(number, header=header[2]))
        elif line.startswith("- { xfer_size:"):
            if not line.rstrip().endswith("}"):
                return found, text.cut_at(number)
            if not found:
                found.append(_Section(number))
            found[-1].rows.append(_listed_row(text, number, line))
        elif found and found[-1].header and re.search(r"\d+\.\d\ds", line):
            if number == len(text.lines):
                return found, text.cut_at(number)
            found[-1].rows.append(_table_row(text, number, line))
    if not found[-1].rows:
        return found, text.cut_at(text.last, "the file ends before the first row of this test")
    return found, None


def _listed_row(text: Text, number: int, line: str) -> _Row:
    """A line of -m, whose numbers are whole."""
    said = dict(_PAIR.findall(line))
    missing = {"xfer_size", "iterations", "total", "MB/sec", "usec/xfer"} - said.keys()
    if missing:
        raise text.refuse(number, f"no {min(missing)}: {text.shown(number)}", "give whole lines")
    size = text.count(number, said["xfer_size"], "xfer_size")
    iterations = text.count(number, said["iterations"], "iterations")
    total = text.value(number, said["total"], "total")
    return _row(text, number, (size, iterations, total), said["MB/sec"], said["usec/xfer"])


def _table_row(text: Text, number: int, line: str) -> _Row:
    """[name] size, count, [count], total, time, MB/sec, usec/xfer, Mxfers/sec."""
    fields = line.split()
    at = next(i for i, one in enumerate(fields) if re.fullmatch(r"\d+\.\d\ds", one))
    sizes = [one for one in fields[:at] if _NUMBER_WITH_UNIT.fullmatch(one)]
    if len(sizes) < 3 or len(fields) < at + 3:
        raise text.refuse(
            number,
            f"no result: {text.shown(number)}",
            "expected bytes, iters, total, time, MB/sec, usec/xfer",
        )
    size, iterations = round(_with_unit(sizes[0], 1024)), round(_with_unit(sizes[1], 1000))
    total = _with_unit(sizes[-1], 1024)
    return _row(text, number, (size, iterations, total), fields[at + 1], fields[at + 2])


def _row(
    text: Text, number: int, counts: tuple[int, int, float], mbytes_s: str, each_us: str
) -> _Row:
    """A result whose time is taken from the column with more digits."""
    size, iterations, total = counts
    if not size or not iterations:
        raise text.refuse(number, f"nothing was sent: {text.shown(number)}")
    rate = text.value(number, mbytes_s, "MB/sec")
    each = text.value(number, each_us, "usec/xfer")
    if max(rate, each) <= 0:
        raise text.refuse(number, f"neither a rate nor a time: {text.shown(number)}")
    by_rate = rate > each
    return _Row(number, size, iterations, total, size / rate * 1e3 if by_rate else each * 1e3)


def _with_unit(field: str, base: int) -> float:
    match = _NUMBER_WITH_UNIT.fullmatch(field)
    assert match
    return float(match[1]) * float(base ** _POWER[match[2]])


def _test(section: _Section, options: Options) -> Test:
    transfers = section.rows[0].transfers
    is_pingpong = "#sent" in section.header or transfers == 2
    crossings = 2 if is_pingpong else 1
    timings = [
        Timing(
            row.line,
            row.size_bytes,
            messages := row.iterations * (1 if is_pingpong else row.transfers),
            max(1, round(crossings * row.each_ns * messages)),
        )
        for row in section.rows
    ]
    return Test(
        name=(section.name or ("pingpong" if is_pingpong else "bandwidth")).replace("_", "-"),
        pattern=Pingpong() if is_pingpong else Stream(window=transfers),
        transport="libfabric" if options.transport == "unknown" else options.transport,
        timings=timings,
        line=section.line,
        facts={"test": section.name, "transfers_an_iteration": transfers},
    )
