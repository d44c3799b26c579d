"""OSU micro-benchmarks: latency, bandwidth, and both between several pairs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from weft.formats.importers.imported import (
    ENDS,
    Content,
    Options,
    Test,
    Timing,
    one_way,
    streamed,
)
from weft.formats.importers.text import Cut, Text, same_shape
from weft.plan.pattern import Duplex, Pairs, Pattern, Pingpong, Stream

SIGN = re.compile(r"^# OSU ", re.MULTILINE)

_TITLE = re.compile(r"# OSU (.+?)(?: Test)?(?: v(\d\S*))?\s*$")
_PAIRS = re.compile(r"pairs:\s*(\d+)")
_WINDOW = re.compile(r"window size:\s*(\d+)")
_LATENCY = re.compile(r"(?:Avg )?Latency ?\(us\)")
_RATE = re.compile(r"(?:Bandwidth )?\(?MB/s\)?")
_DEFAULT_WINDOW = 64

_CONVENTION = (
    "latency is the mean half round trip; MB are 10^6 bytes, and rates of both directions or of "
    "several pairs, which OSU adds up, are divided among them; the file does not say how many "
    "messages: as many as keep its digits"
)


@dataclass
class _Section:
    """From one title to the next."""

    line: int
    title: str
    version: str | None
    pairs: int = 1
    window: int = _DEFAULT_WINDOW
    header: tuple[str, ...] = ()
    rows: list[tuple[int, list[str]]] | None = None


def read(text: Text, options: Options) -> Content:
    """OSU's tables, one or many in a file; raises RequestError, naming line and reason."""
    sections, cut = _sections(text)
    known = [section for section in sections if _kind(section.title)]
    return Content(
        format="osu",
        tests=[_test(text, section, options) for section in known if section.rows],
        convention=_CONVENTION,
        nodes=_names(max((section.pairs for section in known), default=1)),
        cut=cut,
        left_out=[section.title for section in sections if not _kind(section.title)],
    )


def _kind(title: str) -> str | None:
    """Which of the tests between pairs it is; collectives are none."""
    plain = title.lower().replace("_", " ")
    if re.fullmatch(r"mpi\S*( put| get| persistent)? latency", plain):
        return "latency"
    if re.fullmatch(r"mpi\S*( put| get| persistent)? bandwidth", plain):
        return "bandwidth"
    if re.fullmatch(r"mpi\S*( put| persistent)? bi-?directional bandwidth", plain):
        return "both"
    return "pairs" if "multiple bandwidth" in plain else None


def _sections(text: Text) -> tuple[list[_Section], Cut | None]:
    found: list[_Section] = []
    for number, line in text.numbered():
        title = _TITLE.match(line)
        if title:
            found.append(_Section(number, title[1], title[2], rows=[]))
        elif not line.strip():
            continue
        elif not found:
            raise text.refuse(
                number, f"not OSU's: {text.shown(number)}", "expected '# OSU ... Test'"
            )
        elif line.startswith("#"):
            _read_comment(found[-1], line)
        elif _is_cut(text, number, found[-1]):
            return found, text.cut_at(number)
        else:
            _read_row(text, number, found[-1])
    return found, _cut_header(text, found)


def _cut_header(text: Text, found: Sequence[_Section]) -> Cut | None:
    """A last section without rows was cut, unless it is of a test that has other rows."""
    if found and not found[-1].rows and _kind(found[-1].title):
        return text.cut_at(text.last, "the file ends before the first row of this test")
    return None


def _read_comment(section: _Section, line: str) -> None:
    pairs, window = _PAIRS.search(line), _WINDOW.search(line)
    section.pairs = int(pairs[1]) if pairs else section.pairs
    section.window = int(window[1]) if window else section.window
    if line.startswith("# Size"):
        section.header = tuple(re.split(r"\s{2,}", line[1:].strip()))


def _is_cut(text: Text, number: int, section: _Section) -> bool:
    """Whether the last line lacks its end, and is not like the row above."""
    if number != len(text.lines):
        return False
    return not section.rows or not same_shape(text.lines[number - 1], " ".join(section.rows[-1][1]))


def _read_row(text: Text, number: int, section: _Section) -> None:
    assert section.rows is not None
    fields = text.lines[number - 1].split()
    if not _kind(section.title):
        section.rows.append((number, fields))
        return
    if not section.header:
        raise text.refuse(
            number, f"a row before its header: {text.shown(number)}", "expected '# Size ...'"
        )
    if len(fields) != len(section.header):
        raise text.refuse(
            number,
            f"{len(fields)} columns, the header has {len(section.header)}: {text.shown(number)}",
            f"expected {', '.join(section.header)}",
        )
    section.rows.append((number, fields))


def _test(text: Text, section: _Section, options: Options) -> Test:
    kind = _kind(section.title)
    assert section.rows is not None
    column = _column(text, section, _LATENCY if kind == "latency" else _RATE)
    timings: list[Timing] = []
    for number, fields in section.rows:
        size = text.count(number, fields[0], "the size")
        value = text.positive(number, fields[column], section.header[column])
        timings += _timings(number, size, value, section, kind) if size else []
    return Test(
        name=section.title.lower().replace(" / ", "-").replace(" ", "-"),
        pattern=_pattern(section, kind),
        transport="mpi" if options.transport == "unknown" else options.transport,
        timings=timings,
        line=section.line,
        facts={"test": section.title, "version": section.version, "pairs": section.pairs},
    )


def _timings(
    number: int, size: int, value: float, section: _Section, kind: str | None
) -> list[Timing]:
    """One result a direction: latencies in us, rates in 10^6 bytes a second."""
    if kind == "latency":
        return [one_way(number, size, value * 1e3)]
    ends = _ends(section.pairs)
    if kind == "both":
        ends += [(dst, src) for src, dst in ends]
    each = value / len(ends)
    return [streamed(number, size, each, src=src, dst=dst) for src, dst in ends]


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
    """OSU pairs the first half of the processes with the second, in order."""
    return [(one, one + pairs) for one in range(pairs)]


def _names(pairs: int) -> Sequence[str]:
    return ENDS if pairs == 1 else [f"rank{rank}" for rank in range(2 * pairs)]


def _column(text: Text, section: _Section, wanted: re.Pattern[str]) -> int:
    """Columns differ between versions and options, so they are found by name."""
    for at, name in enumerate(section.header):
        if wanted.fullmatch(name):
            return at
    raise text.refuse(
        section.line,
        f"no column of {section.title} is known: {', '.join(section.header)}",
        "expected Latency (us), Bandwidth (MB/s) or MB/s",
    )
