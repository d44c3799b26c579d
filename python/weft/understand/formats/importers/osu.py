"""OSU micro-benchmarks: latency, bandwidth, and both between several pairs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from weft.plan.pattern import Duplex, Pairs, Pattern, Pingpong, Stream
from weft.understand.formats.importers.imported import (
    ENDS,
    Content,
    ImportedTiming,
    ImportOptions,
    Test,
    one_way,
    streamed,
)
from weft.understand.formats.importers.passed_over import SkippedLines, Warned
from weft.understand.formats.importers.text import Cut, SourceLine, Text, same_shape

SIGN = re.compile(r"^# OSU |^This test requires (?:exactly|at least) \w+ processes", re.MULTILINE)

_TITLE = re.compile(r"# OSU (.+?)(?<!\s)(?: Test)?(?: v(\d\S*))?\s*$")
_PAIRS = re.compile(r"pairs:\s*(\d+)")
_WINDOW = re.compile(r"window size:\s*(\d+)")
_LATENCY = re.compile(r"(?:Avg )?Latency ?\(us\)")
_RATE = re.compile(r"(?:Bandwidth )?\(?MB/s\)?")
_TOO_FEW = re.compile(r"This test requires (exactly|at least) \w+ processes")
_COLLECTIVE = re.compile(
    r"all(reduce|gather|to)|bcast|broadcast|reduce|gather|scatter|barrier", re.IGNORECASE
)
_VALIDATION = "Validation"
_DEFAULT_WINDOW = 64
MOST_NAMED = 3

_CONVENTION = (
    "latency is the mean half round trip; MB are 10^6 bytes, and rates of both directions or of "
    "several pairs, which OSU adds up, are divided among them; the file does not say how many "
    "messages: as many as keep its digits"
)


@dataclass
class _Section:
    """The lines from one title to the next."""

    line: SourceLine
    title: str
    version: str | None
    pairs: int = 1
    window: int = _DEFAULT_WINDOW
    header: list[str] = field(default_factory=list)
    rows: list[SourceLine] = field(default_factory=list)
    failed: list[SourceLine] = field(default_factory=list)
    comments: list[str] = field(default_factory=list)


def read(text: Text, options: ImportOptions) -> Content:
    """OSU's tables, one or many in a file; raises RequestError, naming line and reason."""
    text.require(SIGN, "expected '# OSU ... Test'")
    if line := next((one for one in text.lines if _TOO_FEW.search(one.text)), None):
        raise line.refuse("OSU printed no result", "start it with as many processes as it asks for")
    foreign = SkippedLines()
    sections, cut = _sections(text, foreign)
    known = [section for section in sections if _kind(section.title)]
    return Content(
        format="osu",
        tests=[_test(section) for section in known if section.rows],
        convention=_CONVENTION,
        nodes=_names(max((section.pairs for section in known), default=1)),
        cut=cut,
        left_out=[_named(section.title) for section in sections if not _kind(section.title)],
        warnings=[*foreign.warnings("OSU"), *_failed(known), *_devices(known)],
    )


def _devices(sections: Sequence[_Section]) -> list[Warned]:
    """A warning if the messages were not in the host's memory."""
    said = dict.fromkeys(one for section in sections for one in section.comments if "DEVICE" in one)
    return [
        ("device-memory", one, "compare it with results of the same memory only") for one in said
    ]


def _named(title: str) -> str:
    return f"{title} (a collective)" if _COLLECTIVE.search(title) else title


def _failed(sections: Sequence[_Section]) -> list[Warned]:
    """A warning about rows whose data arrived damaged, which are no results."""
    failed = [line for section in sections for line in section.failed]
    if not failed:
        return []
    lines = ", ".join(str(line.number) for line in failed[:MOST_NAMED])
    more = f" and {len(failed) - MOST_NAMED} more" if len(failed) > MOST_NAMED else ""
    return [
        (
            "validation-failed",
            f"validation failed on line {lines}{more}: the data that arrived were wrong, so the time is no result",
            "look for the transport or device that damages data, and measure again",
        )
    ]


def _kind(title: str) -> str | None:
    """The kind of a test between pairs; None for others, such as collectives."""
    plain = title.lower().replace("_", " ")
    if re.fullmatch(r"mpi\S*( put| get| persistent)? latency", plain):
        return "latency"
    if re.fullmatch(r"mpi\S*( put| get| persistent)? bandwidth", plain):
        return "bandwidth"
    if re.fullmatch(r"mpi\S*( put| persistent)? bi-?directional bandwidth", plain):
        return "both"
    return "pairs" if "multiple bandwidth" in plain else None


def _sections(text: Text, foreign: SkippedLines) -> tuple[list[_Section], Cut | None]:
    found: list[_Section] = []
    for line in text.lines:
        if title := _TITLE.match(line.text):
            found.append(_Section(line, title[1], title[2]))
        elif line.text.startswith("#") and found:
            _read_comment(found[-1], line.text)
        elif not found or not line.text[:1].isdigit():
            if not found or _kind(found[-1].title):
                foreign.add(line)
        elif _is_cut(line, found[-1]):
            return found, line.cut()
        else:
            _take_row(line, found[-1])
    return found, _cut_header(text, found)


def _take_row(line: SourceLine, section: _Section) -> None:
    _check_row(line, section)
    is_wrong = _VALIDATION in section.header and line.fields[-1].lower() != "pass"
    (section.failed if is_wrong else section.rows).append(line)


def _cut_header(text: Text, found: Sequence[_Section]) -> Cut | None:
    """The cut of a last section without rows; None if it has rows, or is of a test that is not read."""
    if found and not (found[-1].rows or found[-1].failed) and _kind(found[-1].title):
        return text.last.cut("the file ends before the first row of this test")
    return None


def _read_comment(section: _Section, line: str) -> None:
    pairs, window = _PAIRS.search(line), _WINDOW.search(line)
    section.pairs = int(pairs[1]) if pairs else section.pairs
    section.window = int(window[1]) if window else section.window
    if line.startswith("# Size"):
        section.header = re.split(r"\s{2,}", line[1:].strip())
    elif not (pairs or window):
        section.comments.append(line[1:].strip())


def _is_cut(line: SourceLine, section: _Section) -> bool:
    """Whether the last line lacks its newline, and its shape differs from the row above."""
    is_like_above = bool(section.rows) and same_shape(line.text, section.rows[-1].text)
    return line.is_open and not is_like_above


def _check_row(line: SourceLine, section: _Section) -> None:
    if not _kind(section.title):
        return
    if not section.header:
        raise line.refuse("a row before its header", "expected '# Size ...'")
    if len(line.fields) != len(section.header):
        raise line.refuse_columns(section.header)


def _test(section: _Section) -> Test:
    kind = _kind(section.title)
    column = _column(section, _LATENCY if kind == "latency" else _RATE)
    timings: list[ImportedTiming] = []
    for line in section.rows:
        size = line.count(line.fields[0], "the size")
        value = line.positive(line.fields[column], section.header[column])
        timings += _timings(line, size, value, section, kind) if size else []
    return Test(
        name=section.title.lower().replace(" / ", "-").replace(" ", "-"),
        pattern=_pattern(section, kind),
        transport="mpi",
        timings=timings,
        line=section.line,
        facts={
            "test": section.title,
            "version": section.version,
            "pairs": section.pairs,
            **({"comments": section.comments} if section.comments else {}),
        },
    )


def _timings(
    line: SourceLine, size: int, value: float, section: _Section, kind: str | None
) -> list[ImportedTiming]:
    """A timing for each direction; latencies are in µs, rates in 10^6 bytes per second."""
    if kind == "latency":
        return [one_way(line, size, value * 1e3)]
    ends = _ends(section.pairs)
    if kind == "both":
        ends += [(dst, src) for src, dst in ends]
    each = value / len(ends)
    return [streamed(line, size, each, src=src, dst=dst) for src, dst in ends]


def _pattern(section: _Section, kind: str | None) -> Pattern:
    if kind == "latency":
        return Pingpong()
    if kind == "bandwidth":
        return Stream(window=section.window)
    src, dst = zip(*_ends(section.pairs), strict=True)
    members = sorted([*src, *dst])
    duplex: Duplex = "full" if kind == "both" else "half"
    return Pairs(nodes=tuple(members), stride=None, from_=src, to=dst, duplex=duplex)


def _ends(pairs: int) -> list[tuple[int, int]]:
    """The ranks of each pair: OSU pairs the first half of the processes with the second, in order."""
    return [(one, one + pairs) for one in range(pairs)]


def _names(pairs: int) -> Sequence[str]:
    return ENDS if pairs == 1 else [f"rank{rank}" for rank in range(2 * pairs)]


def _column(section: _Section, wanted: re.Pattern[str]) -> int:
    """The index of a column, found by name, as columns differ between versions and options; raises RequestError."""
    for at, name in enumerate(section.header):
        if wanted.fullmatch(name):
            return at
    raise section.line.wrong(
        f"no column of {section.title} is known: {', '.join(section.header)}",
        "expected Latency (us), Bandwidth (MB/s) or MB/s",
    )
