"""perftest: ib_send_lat, ib_write_bw and the like."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from weft.plan.pattern import Pingpong, Stream
from weft.understand.formats.importers.imported import (
    BOTH_WAYS,
    Content,
    ImportedTiming,
    ImportOptions,
    Test,
    streamed,
    timed,
)
from weft.understand.formats.importers.perftest_json import read_json
from weft.understand.formats.importers.text import Cut, SourceLine, Text

SIGN = re.compile(
    r"^[ \t]*+#bytes[ \t]++#iterations[ \t]++(BW peak|t_min\[usec\]|t_avg\[usec\])"
    r"|^\"test_info\":|\"n_iterations\":",
    re.MULTILINE,
)
_JSON_KEY = re.compile(r'"(test_info|n_iterations)":')

_TITLE = re.compile(r"\s+(\S+)( Bidirectional)? (BW|Latency) Test\s*$")
_COLUMN = re.compile(r"#\w+|(?<![A-Za-z_])(?:99[.\d]{0,9}% )?[A-Za-z_]++(?: [a-z]++)?+\[[^\[\]]+\]")
_RATES = {
    "BW average[MB/sec]": 2**20 / 1e6,
    "BW average[MiB/sec]": 2**20 / 1e6,
    "BW average[Gb/sec]": 1e3 / 8,
}
"""In 10^6 bytes per second; perftest's MB were 2^20 bytes before it called them MiB."""
_TIMES = ("t_avg[usec]", "t_typical[usec]")
_RULE = "------"

_ONE_SIDED = {
    "RDMA_Write": "half the time of two writes, one each way, each seen by polling memory",
    "RDMA_Read": "the time of the whole read",
    "Atomic": "the time of the whole operation",
}
"""The meaning of perftest's latency for one-sided operations, by the start of the title."""

_CONVENTION = (
    "latency of send is half the round trip, of one-sided write half the time of two writes, of read and atomic the "
    "time of the whole operation; MB are 2^20 bytes whatever they are called, Gb 10^9 bits; rates of both directions, "
    "which perftest adds up, are divided among them"
)


@dataclass
class _Section:
    """The lines from a title to the rule after its rows; a client's table has no title."""

    line: SourceLine
    verb: str = "unknown"
    both: bool = False
    header: list[str] = field(default_factory=list)
    rows: list[SourceLine] = field(default_factory=list)
    ended: bool = False


def read(text: Text, options: ImportOptions) -> Content:
    """perftest's tables; raises RequestError, naming line and reason."""
    text.require(SIGN, "expected a line '#bytes #iterations BW peak[...]' or '... t_min[usec]'")
    if _JSON_KEY.search(text.text):
        tests, foreign = read_json(text)
        warnings = [*_warnings(tests), *foreign.warnings("perftest")]
        return Content("perftest", tests, _CONVENTION, warnings=warnings)
    sections, cut = _sections(text)
    tests = [_test(section) for section in sections if section.rows]
    return Content("perftest", tests, _CONVENTION, cut=cut, warnings=_warnings(tests))


def _warnings(tests: list[Test]) -> list[tuple[str, str, str]]:
    """A warning for each kind of one-sided operation, whose latency is not half a round trip."""
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
    for line in text.lines:
        if title := _TITLE.match(line.text):
            found.append(_Section(line, title[1], bool(title[2])))
        elif line.text.lstrip().startswith("#bytes"):
            if not found or found[-1].header:
                found.append(_Section(line))
            found[-1].header = _COLUMN.findall(line.text)
        elif found and found[-1].header and not found[-1].ended:
            if line.is_open and line.text.strip() and not line.text.startswith(_RULE):
                return found, line.cut()
            _read_line(line, found[-1])
    if not found[-1].ended:
        return found, text.last.cut("the file ends before the rule below the table")
    return found, None


def _read_line(line: SourceLine, section: _Section) -> None:
    """Reads a row or the rule at the end; skips perftest's warnings about processor frequencies."""
    if line.text.strip().startswith(_RULE):
        section.ended = True
    elif re.match(r"\s*\d", line.text):
        if len(line.fields) < min(4, len(section.header)):
            raise line.refuse_columns(section.header)
        section.rows.append(line)


def _test(section: _Section) -> Test:
    column = next((name for name in (*_RATES, *_TIMES) if name in section.header), None)
    if column is None:
        raise section.line.wrong(
            f"no column is known: {', '.join(section.header)}", "expected BW average or t_avg"
        )
    is_rate = column in _RATES
    pattern = BOTH_WAYS if section.both else Stream(window=1)
    return Test(
        name=f"{section.verb.lower()}-{'bw' if is_rate else 'latency'}".replace("_", "-"),
        pattern=pattern if is_rate else Pingpong(),
        transport="rdma",
        timings=[timing for line in section.rows for timing in _timings(line, column, section)],
        line=section.line,
        facts={"column": column, "verb": section.verb},
    )


def _timings(line: SourceLine, column: str, section: _Section) -> list[ImportedTiming]:
    fields, at = line.fields, section.header.index(column)
    size, iterations = line.count(fields[0], "#bytes"), line.count(fields[1], "#iterations")
    if at >= len(fields):
        raise line.refuse(f"no {column} in this row", "give whole rows")
    value = line.positive(fields[at], column)
    if column in _RATES:
        ways = [(0, 1), (1, 0)] if section.both else [(0, 1)]
        each = value * _RATES[column] / len(ways)
        return [streamed(line, max(1, size), each, src=src, dst=dst) for src, dst in ways]
    return [timed(line, size, iterations, 2e3 * value * iterations)]
