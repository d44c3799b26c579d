"""perftest: ib_send_lat, ib_write_bw and the like."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from weft.formats.importers.imported import (
    BOTH_WAYS,
    Content,
    Options,
    Test,
    Timing,
    streamed,
)
from weft.formats.importers.text import Cut, Text
from weft.plan.pattern import Pingpong, Stream

SIGN = re.compile(r"^\s*#bytes\s+#iterations\s+(BW peak|t_min\[usec\]|t_avg\[usec\])", re.MULTILINE)

_TITLE = re.compile(r"\s+(\S+)( Bidirectional)? (BW|Latency) Test\s*$")
_COLUMN = re.compile(r"#\w+|(?:99[.\d]*% )?[A-Za-z_]+(?: [a-z]+)?(?:\[[^\]]+\])")
_RATES = {
    "BW average[MB/sec]": 2**20 / 1e6,
    "BW average[MiB/sec]": 2**20 / 1e6,
    "BW average[Gb/sec]": 1e3 / 8,
}
"""10^6 bytes a second: perftest's MB were 2^20 bytes before it called them MiB."""
_TIMES = ("t_avg[usec]", "t_typical[usec]")
_RULE = "------"

_ONE_SIDED = {
    "RDMA_Write": "half the time of two writes, one each way, each seen by polling memory",
    "RDMA_Read": "the time of the whole read",
    "Atomic": "the time of the whole operation",
}
"""What perftest's latency is where only one end takes part, by how its title begins."""

_CONVENTION = (
    "latency of send is half the round trip, of one-sided write half the time of two writes, of read and atomic the "
    "time of the whole operation; MB are 2^20 bytes whatever they are called, Gb 10^9 bits; rates of both directions, "
    "which perftest adds up, are divided among them"
)


@dataclass
class _Section:
    """From one title to the rule after its rows; without a title it is a client's bare table."""

    line: int
    verb: str = "unknown"
    both: bool = False
    header: list[str] = field(default_factory=list)
    rows: list[tuple[int, list[str]]] = field(default_factory=list)
    ended: bool = False


def read(text: Text, options: Options) -> Content:
    """perftest's tables; raises RequestError, naming line and reason."""
    text.require(SIGN, "expected a line '#bytes #iterations BW peak[...]' or '... t_min[usec]'")
    sections, cut = _sections(text)
    tests = [_test(text, section, options) for section in sections if section.rows]
    return Content("perftest", tests, _CONVENTION, cut=cut, warnings=_warnings(tests))


def _warnings(tests: list[Test]) -> list[tuple[str, str, str]]:
    """What stands where other runs have half a round trip, for each kind of one-sided operation."""
    verbs = dict.fromkeys(
        test.facts["verb"] for test in tests if isinstance(test.pattern, Pingpong)
    )
    return [
        (
            "one-sided",
            f"latency of {verb} is {what}, as perftest defines it, not half a round trip of messages",
            "compare it with one-sided results only",
        )
        for verb in verbs
        for start, what in _ONE_SIDED.items()
        if verb.lower().startswith(start.lower())
    ]


def _sections(text: Text) -> tuple[list[_Section], Cut | None]:
    found: list[_Section] = []
    for number, line in text.numbered():
        title = _TITLE.match(line)
        if title:
            found.append(_Section(number, title[1], bool(title[2])))
        elif line.lstrip().startswith("#bytes"):
            if not found or found[-1].header:
                found.append(_Section(number))
            found[-1].header = _COLUMN.findall(line)
        elif found and found[-1].header and not found[-1].ended:
            if number == len(text.lines) and line.strip() and not line.startswith(_RULE):
                return found, text.cut_at(number)
            _read_line(text, number, line, found[-1])
    if not found[-1].ended:
        return found, text.cut_at(text.last, "the file ends before the rule below the table")
    return found, None


def _read_line(text: Text, number: int, line: str, section: _Section) -> None:
    """A row or the rule at the end; between them perftest complains about processors' frequencies."""
    if line.strip().startswith(_RULE):
        section.ended = True
    elif re.match(r"\s*\d", line):
        fields = line.split()
        if len(fields) < min(4, len(section.header)):
            raise text.refuse(
                number,
                f"{len(fields)} columns, the header has {len(section.header)}: {text.shown(number)}",
                f"expected {', '.join(section.header)}",
            )
        section.rows.append((number, fields))


def _test(text: Text, section: _Section, options: Options) -> Test:
    column = next((name for name in (*_RATES, *_TIMES) if name in section.header), None)
    if column is None:
        raise text.refuse(
            section.line,
            f"no column is known: {', '.join(section.header)}",
            "expected BW average or t_avg",
        )
    timings: list[Timing] = []
    for number, fields in section.rows:
        timings += _timings(text, number, fields, column, section)
    is_rate = column in _RATES
    pattern = BOTH_WAYS if section.both else Stream(window=1)
    return Test(
        name=f"{section.verb.lower()}-{'bw' if is_rate else 'latency'}".replace("_", "-"),
        pattern=pattern if is_rate else Pingpong(),
        transport="rdma" if options.transport == "unknown" else options.transport,
        timings=timings,
        line=section.line,
        facts={"column": column, "verb": section.verb},
    )


def _timings(
    text: Text, number: int, fields: list[str], column: str, section: _Section
) -> list[Timing]:
    size = text.count(number, fields[0], "#bytes")
    iterations = text.count(number, fields[1], "#iterations")
    at = section.header.index(column)
    if at >= len(fields):
        raise text.refuse(
            number, f"no {column} in this row: {text.shown(number)}", "give whole rows"
        )
    value = text.positive(number, fields[at], column)
    if column in _RATES:
        ways = [(0, 1), (1, 0)] if section.both else [(0, 1)]
        each = value * _RATES[column] / len(ways)
        return [streamed(number, max(1, size), each, src=src, dst=dst) for src, dst in ways]
    return [Timing(number, size, iterations, max(1, round(2e3 * value * iterations)))]
