"""netperf: the classic tables of STREAM, MAERTS and RR tests, and the omni tests' -k and -o."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from weft.formats.importers.imported import (
    Content,
    Options,
    Test,
    Timing,
    counted,
    one_way,
    refuse_sizes,
    streamed,
)
from weft.formats.importers.text import Cut, Line, Text
from weft.plan.pattern import Pingpong, Stream

SIGN = re.compile(
    r"^(MIGRATED |OMNI )?((TCP|UDP|SCTP) [A-Za-z/ -]+|Send\|Recv) ?TEST |^(THROUGHPUT|Throughput)[=,]",
    re.MULTILINE,
)

_BANNER = re.compile(r"(?:MIGRATED )?(TCP|UDP|SCTP|OMNI)\s?([A-Za-z/| -]*?) ?T(?:EST|est)\b")
_KEY = re.compile(r"([A-Z][A-Z0-9_]+)=(.*)")
_NUMBERS = re.compile(r"[\d.,\s-]+")
_MISSED = re.compile(r"!!! (?!WARNING)(.*\S)")
_MBYTES_S = {
    "10^6bits/s": 1 / 8,
    "10^3bits/s": 1e-3 / 8,
    "10^9bits/s": 1e3 / 8,
    "MBytes/s": 2**20 / 1e6,
    "KBytes/s": 2**10 / 1e6,
}
"""10^6 bytes a second in each unit of netperf's; its bytes with a prefix are powers of two."""

_CONVENTION = (
    "a transaction is a round trip; throughput is in 10^6 bits a second; of UDP the second line, "
    "what arrived; a stream's messages are of the size that netperf sent"
)


@dataclass
class _Section:
    """From one banner to the next."""

    line: Line
    protocol: str = "tcp"
    title: str = ""
    rows: list[Line] = field(default_factory=list)
    keys: dict[str, tuple[Line, str]] = field(default_factory=dict)
    header: list[str] = field(default_factory=list)
    missed: list[str] = field(default_factory=list)


def read(text: Text, options: Options) -> Content:
    """netperf's outputs; raises RequestError, naming line and reason."""
    text.require(SIGN, "expected a banner such as 'MIGRATED TCP STREAM TEST ...', or THROUGHPUT=")
    sections, cut = _sections(text)
    kept = [section for section in sections if _is_known(section)]
    whole = [section for section in kept if section.rows or section.keys]
    if whole != kept and cut is None:
        cut = text.last.cut("the file ends before this test's result")
    tests = [_test(section, options) for section in whole]
    left_out = [section.title for section in sections if not _is_known(section)]
    return Content(
        "netperf", tests, _CONVENTION, cut=cut, left_out=left_out, warnings=list(_missed(sections))
    )


def _is_known(section: _Section) -> bool:
    """CRR opens a connection for each transaction, so its time is no message's."""
    return section.title in ("", "STREAM", "MAERTS", "REQUEST/RESPONSE", "RR")


def _sections(text: Text) -> tuple[list[_Section], Cut | None]:
    found: list[_Section] = []
    for line in text.lines:
        if banner := _BANNER.match(line.text):
            protocol = banner[1].lower().replace("omni", "tcp")
            found.append(_Section(line, protocol, banner[2].strip()))
        elif line.text.strip():
            if line.is_open:
                return found, line.cut()
            if not found:
                found.append(_Section(line))
            _read_line(line, found[-1])
    return found, None


def _read_line(line: Line, section: _Section) -> None:
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


def _fields(line: str) -> list[str]:
    """The fields of a line of -o; only tags that users chose are quoted."""
    return [field.strip().strip('"') for field in line.split(",")]


def _test(section: _Section, options: Options) -> Test:
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
    """TCP: receive and send buffer, message, seconds, rate. UDP: a line of what was sent, a line of what arrived."""
    line = section.rows[0]
    is_udp = section.protocol == "udp"
    if len(line.fields) < 5:
        raise line.refuse("not a netperf result", "expected 5 columns or more")
    size = max(1, line.count(line.fields[1 if is_udp else 2], "the message size"))
    if is_udp:
        timing = _arrived(section, size)
    else:
        timing = streamed(
            line, size, line.positive(line.fields[4], "throughput in 10^6 bits/s") / 8
        )
    facts = {
        "test": f"{section.protocol} {section.title}",
        "direction": "from server" if section.title == "MAERTS" else "to server",
    }
    return _streaming(section, section.title, timing, facts)


def _arrived(section: _Section, size: int) -> Timing:
    if len(section.rows) < 2 or len(section.rows[1].fields) < 4:
        reason = "no line of what arrived after the one of what was sent"
        raise section.rows[0].wrong(reason, "give the whole output")
    line = section.rows[1]
    messages = line.positive(line.fields[2], "messages")
    seconds = line.positive(line.fields[1], "seconds")
    return counted(line, size, messages * size, seconds * 1e9)


def _streaming(
    section: _Section, title: str, timing: Timing, facts: dict[str, str] | None = None
) -> Test:
    name = f"{section.protocol}-{title.lower()}"
    return Test(name, Stream(window=1), section.protocol, [timing], section.line, facts or {})


def _round_trips(section: _Section, options: Options) -> Test:
    """Send and receive buffer, request, response, seconds, transactions a second; the remote's buffers follow."""
    line = section.rows[0]
    if len(line.fields) < 6:
        raise line.refuse("not a netperf result", "expected 6 columns or more")
    request, response = (line.count(field, "a size") for field in line.fields[2:4])
    if options.size_bytes is None and request != response:
        raise refuse_sizes(line, request, response)
    size = options.size_bytes or max(1, request)
    return _rr(section, line, size, line.positive(line.fields[5], "transactions per second"))


def _rr(section: _Section, line: Line, size: int, rate: float) -> Test:
    timing = one_way(line, size, 0.5e9 / rate)
    return Test(f"{section.protocol}-rr", Pingpong(), section.protocol, [timing], section.line)


def _omni(section: _Section, options: Options) -> Test:
    """Selected outputs: the unit says whether it is a rate or transactions; where it is missing, the banner does."""
    keys = section.keys
    if "THROUGHPUT" not in keys:
        hint = "select throughput and throughput_units"
        raise section.line.wrong("no THROUGHPUT among the outputs", hint)
    line, value = keys["THROUGHPUT"]
    rate = line.positive(value, "THROUGHPUT")
    unit = keys["THROUGHPUT_UNITS"][1] if "THROUGHPUT_UNITS" in keys else ""
    if unit == "Trans/s" or (not unit and section.title == "REQUEST/RESPONSE"):
        size = _selected(section, options, ("REQUEST_SIZE_BYTES", "REQUEST_SIZE"), 1)
        return _rr(section, line, size, rate)
    if not unit and section.title in ("STREAM", "MAERTS"):
        unit = "10^6bits/s"
    if unit not in _MBYTES_S:
        raise line.wrong(
            f"throughput in {unit or 'no unit'}",
            f"select throughput_units; known are Trans/s, {', '.join(_MBYTES_S)}",
        )
    size = _selected(section, options, ("LOCAL_SEND_SIZE", "REMOTE_SEND_SIZE"), 16384)
    timing = streamed(line, size, rate * _MBYTES_S[unit])
    return _streaming(section, section.title or "stream", timing)


def _selected(section: _Section, options: Options, names: tuple[str, ...], default: int) -> int:
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
