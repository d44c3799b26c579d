"""netperf: the classic tables of STREAM, MAERTS and RR tests, and the omni tests' -k and -o."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from weft.formats.importers.imported import (
    Content,
    Options,
    Test,
    counted,
    one_way,
    streamed,
)
from weft.formats.importers.text import Cut, Text
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

    line: int
    protocol: str = "tcp"
    title: str = ""
    rows: list[tuple[int, list[str]]] = field(default_factory=list)
    keys: dict[str, tuple[int, str]] = field(default_factory=dict)
    header: list[str] = field(default_factory=list)
    missed: list[str] = field(default_factory=list)


def read(text: Text, options: Options) -> Content:
    """netperf's outputs; raises RequestError, naming line and reason."""
    text.require(SIGN, "expected a banner such as 'MIGRATED TCP STREAM TEST ...', or THROUGHPUT=")
    sections, cut = _sections(text)
    kept = [section for section in sections if _is_known(section)]
    whole = [section for section in kept if section.rows or section.keys]
    if whole != kept and cut is None:
        cut = text.cut_at(text.last, "the file ends before this test's result")
    tests = [test for section in whole for test in _tests(text, section, options)]
    left_out = [section.title for section in sections if not _is_known(section)]
    return Content(
        "netperf", tests, _CONVENTION, cut=cut, left_out=left_out, warnings=list(_missed(sections))
    )


def _is_known(section: _Section) -> bool:
    """CRR opens a connection for each transaction, so its time is no message's."""
    return section.title in ("", "STREAM", "MAERTS", "REQUEST/RESPONSE", "RR")


def _sections(text: Text) -> tuple[list[_Section], Cut | None]:
    found: list[_Section] = []
    for number, line in text.numbered():
        banner = _BANNER.match(line)
        if banner:
            title = banner[2].strip()
            found.append(_Section(number, banner[1].lower().replace("omni", "tcp"), title))
            continue
        if not line.strip():
            continue
        if number == len(text.lines):
            return found, text.cut_at(number)
        if not found:
            found.append(_Section(number))
        _read_line(number, line, found[-1])
    return found, None


def _read_line(number: int, line: str, section: _Section) -> None:
    key, missed = _KEY.match(line), _MISSED.match(line)
    if key:
        section.keys.setdefault(key[1], (number, key[2].strip()))
    elif missed:
        section.missed.append(missed[1])
    elif "," in line and re.match(r"\"?[A-Z][a-z]", line):
        section.header = _fields(line)
    elif section.header and "," in line:
        values = _fields(line)
        keys = [name.upper().replace(" ", "_") for name in section.header]
        section.keys = {name: (number, value) for name, value in zip(keys, values, strict=False)}
    elif _NUMBERS.fullmatch(line):
        section.rows.append((number, line.split()))


def _fields(line: str) -> list[str]:
    """The fields of a line of -o; only tags that users chose are quoted."""
    return [field.strip().strip('"') for field in line.split(",")]


def _tests(text: Text, section: _Section, options: Options) -> Iterator[Test]:
    if section.keys:
        yield _omni(text, section, options)
    elif section.title in ("STREAM", "MAERTS"):
        yield _stream(text, section, options)
    elif section.title == "REQUEST/RESPONSE":
        yield _round_trips(text, section, options)
    else:
        raise text.refuse(
            section.rows[0][0],
            f"numbers without a banner: {text.shown(section.rows[0][0])}",
            "run netperf without -P 0, so that it prints what it measured",
        )


def _stream(text: Text, section: _Section, options: Options) -> Test:
    """TCP: receive and send buffer, message, seconds, rate. UDP: a line of what was sent, a line of what arrived."""
    number, fields = section.rows[0]
    is_udp = section.protocol == "udp"
    if len(fields) < 5:
        raise text.refuse(
            number, f"not a netperf result: {text.shown(number)}", "expected 5 columns or more"
        )
    size = text.count(number, fields[1 if is_udp else 2], "the message size")
    if is_udp:
        if len(section.rows) < 2 or len(section.rows[1][1]) < 4:
            raise text.refuse(
                number,
                "no line of what arrived after the one of what was sent",
                "give the whole output",
            )
        number, fields = section.rows[1]
        arrived, seconds = (
            text.positive(number, fields[2], "messages"),
            text.positive(number, fields[1], "seconds"),
        )
        timing = counted(number, max(1, size), arrived * max(1, size), seconds * 1e9)
    else:
        rate = text.positive(number, fields[4], "throughput in 10^6 bits/s")
        timing = streamed(number, max(1, size), rate / 8)
    facts = {
        "test": f"{section.protocol} {section.title}",
        "direction": "from server" if section.title == "MAERTS" else "to server",
    }
    name = f"{section.protocol}-{section.title.lower()}"
    return Test(
        name,
        Stream(window=1),
        _transport(section, options),
        [timing],
        section.line,
        facts,
    )


def _round_trips(text: Text, section: _Section, options: Options) -> Test:
    """Send and receive buffer, request, response, seconds, transactions a second; the remote's buffers follow."""
    number, fields = section.rows[0]
    if len(fields) < 6:
        raise text.refuse(
            number, f"not a netperf result: {text.shown(number)}", "expected 6 columns or more"
        )
    request, response = (text.count(number, field, "a size") for field in fields[2:4])
    size = _one_size(text, number, request, response, options)
    rate = text.positive(number, fields[5], "transactions per second")
    return _rr(section, options, number, size, rate)


def _rr(section: _Section, options: Options, number: int, size: int, rate: float) -> Test:
    timing = one_way(number, size, 0.5e9 / rate)
    return Test(
        f"{section.protocol}-rr", Pingpong(), _transport(section, options), [timing], section.line
    )


def _one_size(text: Text, number: int, request: int, response: int, options: Options) -> int:
    if options.size_bytes is None and request != response:
        raise text.refuse(
            number,
            f"requests of {request} and responses of {response} bytes: half a round trip is no message's time",
            "measure with equal sizes, or say the size to take with --size",
        )
    return options.size_bytes or max(1, request)


def _omni(text: Text, section: _Section, options: Options) -> Test:
    """Selected outputs: the unit says whether it is a rate or transactions; where it is missing, the banner does."""
    keys = section.keys
    if "THROUGHPUT" not in keys:
        raise text.refuse(
            section.line,
            "no THROUGHPUT among the outputs",
            "select throughput and throughput_units",
        )
    number, value = keys["THROUGHPUT"]
    rate = text.positive(number, value, "THROUGHPUT")
    unit = keys.get("THROUGHPUT_UNITS", (0, ""))[1]
    if unit == "Trans/s" or (not unit and section.title == "REQUEST/RESPONSE"):
        size = _selected(text, section, options, ("REQUEST_SIZE_BYTES", "REQUEST_SIZE"), 1)
        return _rr(section, options, number, size, rate)
    if not unit and section.title in ("STREAM", "MAERTS"):
        unit = "10^6bits/s"
    if unit not in _MBYTES_S:
        raise text.refuse(
            number,
            f"throughput in {unit or 'no unit'}",
            f"select throughput_units; known are Trans/s, {', '.join(_MBYTES_S)}",
        )
    size = _selected(text, section, options, ("LOCAL_SEND_SIZE", "REMOTE_SEND_SIZE"), 16384)
    timing = streamed(number, size, rate * _MBYTES_S[unit])
    name = f"{section.protocol}-{section.title.lower() or 'stream'}"
    return Test(name, Stream(window=1), _transport(section, options), [timing], section.line)


def _selected(
    text: Text, section: _Section, options: Options, names: tuple[str, ...], default: int
) -> int:
    if options.size_bytes:
        return options.size_bytes
    for name in names:
        value = section.keys.get(name, (0, ""))[1]
        if re.fullmatch(r"\d{1,12}", value) and int(value) > 0:
            return int(value)
    section.missed.append(f"size assumed to be {default} bytes; say it with --size")
    return default


def _transport(section: _Section, options: Options) -> str:
    return section.protocol if options.transport == "unknown" else options.transport


def _missed(sections: list[_Section]) -> Iterator[tuple[str, str, str]]:
    for section in sections:
        if section.missed:
            yield "netperf-says", "; ".join(section.missed), "see the file"
