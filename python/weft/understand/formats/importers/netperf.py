"""netperf: the classic tables of STREAM, MAERTS and RR tests, and the omni tests' -k and -o."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from weft.plan.pattern import Pingpong, Stream
from weft.understand.formats.importers.imported import (
    Content,
    ImportedTiming,
    ImportOptions,
    Test,
    counted,
    one_way,
    refuse_sizes,
    streamed,
)
from weft.understand.formats.importers.passed_over import SkippedLines
from weft.understand.formats.importers.text import Cut, SourceLine, Text

SIGN = re.compile(
    r"^(MIGRATED |OMNI )?((TCP|UDP|SCTP) [A-Za-z/ -]+|Send\|Recv) ?TEST |^(THROUGHPUT|Throughput)[=,]",
    re.MULTILINE,
)

_BANNER = re.compile(r"(?:MIGRATED )?(TCP|UDP|SCTP|OMNI)\s?([A-Za-z/| -]*?) ?T(?:EST|est)\b")
_KEY = re.compile(r"([A-Z][A-Z0-9_]+)=(.*)")
_NUMBERS = re.compile(r"[\d.,\s-]+")
_UNIT = re.compile(r"(10\^[369]bits|[KMG]Bytes)\s*/\s*s(?:ec)?\b")
_BURST = re.compile(r"first burst (\d{1,9})")
_COMMAND = re.compile(r"[$#>%] *((?:\S*/)?netperf\b.*)")
_TOGETHER = 0.1
"""The largest relative difference between a test's rate and the rate by its mean latency."""
_MISSED = re.compile(r"!!! (?!WARNING)(.*\S)")
_MBYTES_S = {
    "10^6bits/s": 1 / 8,
    "10^3bits/s": 1e-3 / 8,
    "10^9bits/s": 1e3 / 8,
    "GBytes/s": 2**30 / 1e6,
    "MBytes/s": 2**20 / 1e6,
    "KBytes/s": 2**10 / 1e6,
}
"""Netperf's units in 10^6 bytes per second; its bytes with a prefix are powers of two."""

_CONVENTION = (
    "a transaction is a round trip, of which so many as a burst has are on their way at once; throughput is in the "
    "unit of its header, bytes with a prefix being powers of two; of UDP the second line, what arrived; a stream's "
    "messages are of the size that netperf sent"
)


@dataclass
class _Section:
    """The lines from one banner to the next."""

    line: SourceLine
    protocol: str = "tcp"
    title: str = ""
    rows: list[SourceLine] = field(default_factory=list)
    keys: dict[str, tuple[SourceLine, str]] = field(default_factory=dict)
    header: list[str] = field(default_factory=list)
    missed: list[str] = field(default_factory=list)
    unit: str = "10^6bits/s"
    command: str = ""

    @property
    def in_flight(self) -> int:
        """Requests in flight: one, plus those of a first burst (netperf -b)."""
        burst = _BURST.search(self.line.text)
        said = self.keys["BURST_SIZE"][1] if "BURST_SIZE" in self.keys else "0"
        return 1 + (int(burst[1]) if burst else int(said) if said.isdigit() else 0)

    @property
    def facts(self) -> dict[str, object]:
        """Additional facts for run.json."""
        found: dict[str, object] = {"command": self.command} if self.command else {}
        return found | ({"in_flight": self.in_flight} if self.in_flight > 1 else {})


def read(text: Text, options: ImportOptions) -> Content:
    """netperf's outputs; raises RequestError, naming line and reason."""
    text.require(SIGN, "expected a banner such as 'MIGRATED TCP STREAM TEST ...', or THROUGHPUT=")
    foreign = SkippedLines()
    sections, cut = _sections(text, foreign)
    kept = [section for section in sections if _is_known(section)]
    whole = [section for section in kept if section.rows or section.keys]
    if whole != kept and cut is None:
        cut = text.last.cut("the file ends before this test's result")
    tests = [_test(section, options) for section in whole]
    left_out = [section.title for section in sections if not _is_known(section)]
    warnings = [*_missed(sections), *foreign.warnings("netperf")]
    return Content("netperf", tests, _CONVENTION, cut=cut, left_out=left_out, warnings=warnings)


def _is_known(section: _Section) -> bool:
    """Whether a section can be imported; CRR cannot, because it opens a connection for each transaction."""
    return section.title in ("", "STREAM", "MAERTS", "REQUEST/RESPONSE", "RR")


def _sections(text: Text, foreign: SkippedLines) -> tuple[list[_Section], Cut | None]:
    found: list[_Section] = []
    command = ""
    for line in text.lines:
        if banner := _BANNER.match(line.text):
            protocol = banner[1].lower().replace("omni", "tcp")
            found.append(_Section(line, protocol, banner[2].strip(), command=command))
        elif typed := _COMMAND.search(line.text):
            command = typed[1].strip()
        elif line.text.strip():
            if line.is_open and (found or _is_result(line)):
                return found, line.cut()
            if not found and not _is_result(line):
                foreign.add(line)
                continue
            if not found:
                found.append(_Section(line, command=command))
            if not _read_line(line, found[-1]):
                foreign.add(line)
    return found, None


def _is_result(line: SourceLine) -> bool:
    """Whether a line can begin a test without a banner (-P 0)."""
    is_header = "," in line.text and re.match(r"\"?[A-Z][a-z]", line.text)
    return bool(_KEY.match(line.text) or _NUMBERS.fullmatch(line.text) or is_header)


_HEADER_WORDS = re.compile(
    "recv|send|socket|message|messages|elapsed|size|time|throughput|bytes|secs|local|remote|request|resp|trans|rate|per"
    "|sec|s|okay|errors|utilization|service|demand|us|kb|cpu|dem|c|u|10|[369]|[369]?bits|[kmg]bytes"
)


def _is_header(text: str) -> bool:
    """Whether a line consists only of words of netperf's table headers."""
    return all(map(_HEADER_WORDS.fullmatch, re.findall(r"[a-z0-9]++", text.lower())))


def _read_line(line: SourceLine, section: _Section) -> bool:
    """Reads a line into a section; False if it is not netperf's."""
    if unit := _UNIT.search(line.text):
        section.unit = f"{unit[1]}/s"
    if key := _KEY.match(line.text):
        section.keys.setdefault(key[1], (line, key[2].strip()))
    elif missed := _MISSED.match(line.text):
        section.missed.append(missed[1])
    elif "," in line.text and re.match(r"\"?[A-Z][a-z]", line.text):
        section.header = _fields(line.text)
    elif section.header and "," in line.text:
        keys = [name.upper().replace(" ", "_") for name in section.header]
        named = zip(keys, _fields(line.text), strict=False)
        section.keys = {name: (line, value) for name, value in named}
    elif _NUMBERS.fullmatch(line.text):
        section.rows.append(line)
    else:
        return bool(unit or _is_header(line.text) or line.text.startswith("!!!"))
    return True


def _fields(line: str) -> list[str]:
    """The fields of a line of -o; only tags chosen by users are quoted."""
    return [field.strip().strip('"') for field in line.split(",")]


def _test(section: _Section, options: ImportOptions) -> Test:
    if section.keys:
        return _omni(section, options)
    if section.title in ("STREAM", "MAERTS"):
        return _stream(section)
    if section.title == "REQUEST/RESPONSE":
        return _round_trips(section, options)
    raise section.rows[0].refuse(
        "numbers without a banner", "run netperf without -P 0, so that it prints what it measured"
    )


def _stream(section: _Section) -> Test:
    """Reads a stream. TCP: receive and send buffer, message, seconds, rate. UDP: a line for the sender, then one for
    the receiver."""
    line = section.rows[0]
    is_udp = section.protocol == "udp"
    if len(line.fields) < 5:
        raise line.refuse("not a netperf result", "expected 5 columns or more")
    size = max(1, line.count(line.fields[1 if is_udp else 2], "the message size"))
    if is_udp:
        timing = _arrived(section, size)
    else:
        rate = line.positive(line.fields[4], f"throughput in {section.unit}")
        timing = streamed(line, size, rate * _MBYTES_S[section.unit])
    sockets = (
        {} if is_udp else {"recv_socket_bytes": line.fields[0], "send_socket_bytes": line.fields[1]}
    )
    facts = {
        **section.facts,
        **sockets,
        "test": f"{section.protocol} {section.title}",
        "direction": "from server" if section.title == "MAERTS" else "to server",
    }
    return _streaming(section, section.title, timing, facts)


def _arrived(section: _Section, size: int) -> ImportedTiming:
    if len(section.rows) < 2 or len(section.rows[1].fields) < 4:
        reason = "no line of what arrived after the one of what was sent"
        raise section.rows[0].wrong(reason, "give the whole output")
    line = section.rows[1]
    messages = line.positive(line.fields[2], "messages")
    seconds = line.positive(line.fields[1], "seconds")
    return counted(line, size, messages * size, seconds * 1e9)


def _streaming(
    section: _Section, title: str, timing: ImportedTiming, facts: dict[str, object]
) -> Test:
    name = f"{section.protocol}-{title.lower()}"
    return Test(name, Stream(window=1), section.protocol, [timing], section.line, facts)


def _round_trips(section: _Section, options: ImportOptions) -> Test:
    """Reads a row: send and receive buffer, request, response, seconds, transactions per second; the remote's buffers
    follow."""
    line = section.rows[0]
    if len(line.fields) < 6:
        raise line.refuse("not a netperf result", "expected 6 columns or more")
    request, response = (line.count(field, "a size") for field in line.fields[2:4])
    if options.size_bytes is None and request != response:
        raise refuse_sizes(line, request, response)
    size = options.size_bytes or max(1, request)
    return _rr(section, line, size, line.positive(line.fields[5], "transactions per second"))


def _rr(section: _Section, line: SourceLine, size: int, rate: float) -> Test:
    timing = one_way(line, size, 0.5e9 * section.in_flight / rate)
    name = f"{section.protocol}-rr"
    return Test(name, Pingpong(), section.protocol, [timing], section.line, section.facts)


def _omni(section: _Section, options: ImportOptions) -> Test:
    """Reads selected outputs. The unit, or else the banner, tells whether they give a rate or transactions."""
    keys = section.keys
    if "THROUGHPUT" not in keys:
        hint = "select throughput and throughput_units"
        raise section.line.wrong("no THROUGHPUT among the outputs", hint)
    line, value = keys["THROUGHPUT"]
    rate = line.positive(value, "THROUGHPUT")
    unit = keys["THROUGHPUT_UNITS"][1] if "THROUGHPUT_UNITS" in keys else ""
    if unit == "Trans/s" or (not unit and section.title == "REQUEST/RESPONSE"):
        size = _selected(section, options, ("REQUEST_SIZE_BYTES", "REQUEST_SIZE"), 1)
        return _rr(section, line, size, _transactions(section, line, rate, bool(unit)))
    if not unit and section.title in ("STREAM", "MAERTS"):
        unit = "10^6bits/s"
        section.missed.append(f"the unit of THROUGHPUT is assumed to be {unit}")
    if unit not in _MBYTES_S:
        raise line.wrong(
            f"throughput in {unit or 'no unit'}",
            f"select throughput_units; known are Trans/s, {', '.join(_MBYTES_S)}",
        )
    size = _selected(section, options, ("LOCAL_SEND_SIZE", "REMOTE_SEND_SIZE"), 16384)
    timing = streamed(line, size, rate * _MBYTES_S[unit])
    return _streaming(section, section.title or "stream", timing, section.facts)


def _transactions(section: _Section, line: SourceLine, rate: float, is_sure: bool) -> float:
    """Transactions per second. Without its unit, THROUGHPUT may be in bits per second (-f m); the mean latency
    decides. Raises RequestError if it cannot."""
    if "MEAN_LATENCY" not in section.keys:
        if not is_sure:
            raise line.wrong(
                "THROUGHPUT has no unit: it may be transactions or, with -f, bits a second",
                "select throughput_units, or mean_latency",
            )
        return rate
    told, value = section.keys["MEAN_LATENCY"]
    by_latency = section.in_flight * 1e6 / told.positive(value, "MEAN_LATENCY in us")
    if abs(by_latency / rate - 1) <= _TOGETHER:
        return rate
    if is_sure:
        raise line.wrong(
            f"{rate:g} transactions a second and a mean latency of {value} us contradict each other",
            "give the whole output of one test",
        )
    section.missed.append(
        f"THROUGHPUT={rate:g} is not transactions a second: times are from MEAN_LATENCY={value} us"
    )
    return by_latency


def _selected(
    section: _Section, options: ImportOptions, names: tuple[str, ...], default: int
) -> int:
    if options.size_bytes:
        return options.size_bytes
    for name in names:
        value = section.keys[name][1] if name in section.keys else ""
        if re.fullmatch(r"\d{1,12}", value) and int(value) > 0:
            return int(value)
    section.missed.append(f"size assumed to be {default} bytes; say it with --size")
    return default


def _missed(sections: list[_Section]) -> Iterator[tuple[str, str, str]]:
    for section in sections:
        if section.missed:
            yield "netperf-says", "; ".join(section.missed), "see the file"
