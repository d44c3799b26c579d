"""Intel MPI Benchmarks: the tests between pairs, and Sendrecv around a ring."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from weft.plan.pattern import Pattern, Pingpong, Ring
from weft.understand.formats.importers.imported import (
    BOTH_WAYS,
    Content,
    ImportOptions,
    Test,
    timed,
)
from weft.understand.formats.importers.text import Cut, SourceLine, Text

SIGN = re.compile(r"Intel\(R\) MPI Benchmark|^#\s*Benchmarking \w+", re.MULTILINE)

_TITLE = re.compile(r"#\s*Benchmarking (\S+)\s*$")
_PROCESSES = re.compile(r"#\s*#processes = (\d+)")
_END = "# All processes entering MPI_Finalize"

_CONVENTION = (
    "times are IMB's, t[usec] or t_max[usec]: PingPong's is half the round trip, Sendrecv's that "
    "in which each process sends one message and receives one; Mbytes/sec, 2^20 or 10^6 bytes by "
    "version and of both directions, is not read"
)


@dataclass
class _Section:
    line: SourceLine
    title: str
    processes: int = 2
    header: list[str] = field(default_factory=list)
    rows: list[SourceLine] = field(default_factory=list)


def read(text: Text, options: ImportOptions) -> Content:
    """IMB's tables; raises RequestError, naming line and reason."""
    text.require(SIGN, "expected '# Benchmarking PingPong' and its table")
    sections, cut = _sections(text)
    known = [section for section in sections if section.title in _KINDS and section.rows]
    processes = max((section.processes for section in known), default=2)
    return Content(
        format="imb",
        tests=[_test(section) for section in known],
        convention=_CONVENTION,
        nodes=[f"rank{rank}" for rank in range(processes)],
        cut=cut,
        left_out=[section.title for section in sections if section.title not in _KINDS],
    )


def _sections(text: Text) -> tuple[list[_Section], Cut | None]:
    found: list[_Section] = []
    ended = False
    for line in text.lines:
        if title := _TITLE.match(line.text):
            found.append(_Section(line, title[1]))
            ended = False
        elif (processes := _PROCESSES.match(line.text)) and found:
            found[-1].processes = int(processes[1])
        elif line.text.startswith(_END):
            ended = True
        elif found and line.text.strip().startswith("#bytes"):
            found[-1].header = line.fields
        elif found and line.text.strip() and not line.text.startswith("#"):
            if line.is_open:
                return found, line.cut()
            _check_row(line, found[-1])
            found[-1].rows.append(line)
    if not found:
        raise text.last.wrong(
            "the file ends without a '# Benchmarking ...'", "expected IMB's output"
        )
    return found, None if ended else text.last.cut(f"the file ends without IMB's {_END!r}")


def _check_row(line: SourceLine, section: _Section) -> None:
    if section.title in _KINDS and len(line.fields) != len(section.header):
        expected = " ".join(section.header) or "a header, #bytes #repetitions ..."
        raise line.refuse_columns(section.header, expected)


def _test(section: _Section) -> Test:
    pattern, trips = _KINDS[section.title]
    if isinstance(pattern, Ring):
        pattern = Ring(nodes=tuple(range(section.processes)))
    column = _time_column(section)
    timings = []
    for line in section.rows:
        fields = line.fields
        size, repetitions = line.count(fields[0], "#bytes"), line.count(fields[1], "#repetitions")
        elapsed_ns = (
            trips * line.positive(fields[column], section.header[column]) * 1e3 * repetitions
        )
        timings += [
            timed(line, size, repetitions, elapsed_ns, src=src, dst=dst)
            for src, dst in _transfers(pattern)
        ]
    facts = {"test": section.title, "processes": section.processes}
    return Test(section.title.lower(), pattern, "mpi", timings, section.line, facts)


def _transfers(pattern: Pattern) -> list[tuple[int, int]]:
    """The (sender, receiver) ranks that are active at the same time."""
    if isinstance(pattern, Ring) and pattern.nodes:
        count = len(pattern.nodes)
        return [(rank, (rank + 1) % count) for rank in pattern.nodes]
    return [(0, 1), (1, 0)] if pattern is BOTH_WAYS else [(0, 1)]


_KINDS: dict[str, tuple[Pattern, int]] = {
    "PingPong": (Pingpong(), 2),
    "PingPongSpecificSource": (Pingpong(), 2),
    "PingPongAnySource": (Pingpong(), 2),
    "PingPing": (BOTH_WAYS, 1),
    "PingPingSpecificSource": (BOTH_WAYS, 1),
    "PingPingAnySource": (BOTH_WAYS, 1),
    "Sendrecv": (Ring(nodes=None), 1),
}
"""The tests with a pattern in weft, and the number of one-way trips in a row's time over the printed time."""


def _time_column(section: _Section) -> int:
    for name in ("t[usec]", "t_max[usec]"):
        if name in section.header:
            return section.header.index(name)
    raise section.line.wrong(
        f"{section.title} has no times", "expected a column t[usec] or t_max[usec]"
    )
