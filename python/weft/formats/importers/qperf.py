"""qperf: its bandwidth and latency tests, alone, verbose, or over a loop of sizes."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from weft.formats.importers.imported import Content, Options, Test, one_way, streamed
from weft.formats.importers.text import Cut, Text
from weft.plan.pattern import Pingpong, Stream

SIGN = re.compile(r"^[a-z]+(_[a-z]+)*_(lat|bw|mr):$", re.MULTILINE)

_TITLE = re.compile(r"([a-z]+)_((?:[a-z]+_)*(?:lat|bw|mr)):")
_VALUE = re.compile(r"\s+(\w+)\s*=\s*(\S+)\s*(.*)")
_EXACT = re.compile(r"\(([\d,]+)\)")
_TIMES_NS = {"ns": 1.0, "us": 1e3, "ms": 1e6, "sec": 1e9}
_RATES = re.compile(r"([KMGT]?)(bytes|B|bits|b)/sec")
_POWER = {"": 0, "K": 1, "M": 2, "G": 3, "T": 4}
_SIZES = {
    "bytes": 1,
    "KiB": 2**10,
    "MiB": 2**20,
    "GiB": 2**30,
    "KB": 10**3,
    "MB": 10**6,
    "GB": 10**9,
}
_DEFAULT_BYTES = {
    ("tcp", "bw"): 65536,
    ("sctp", "bw"): 65536,
    ("sdp", "bw"): 65536,
    ("udp", "bw"): 32768,
    ("rc", "bw"): 65536,
}

_CONVENTION = (
    "latency is half the round trip; rates are what was received, GB of 10^9 bytes and Gb of 10^9"
    " bits; the file does not say how many messages: as many as keep its digits"
)


@dataclass
class _Section:
    """A test: each name with its line, value and unit."""

    line: int
    transport: str
    kind: str
    values: dict[str, tuple[int, str, str]] = field(default_factory=dict)

    @property
    def is_latency(self) -> bool:
        return "latency" in self.values

    @property
    def result(self) -> str | None:
        """Which of its values is the result: what arrived, where both ends are told."""
        return next((name for name in ("latency", "recv_bw", "bw") if name in self.values), None)


def read(text: Text, options: Options) -> Content:
    """qperf's tests; raises RequestError, naming line and reason."""
    sections, cut = _sections(text)
    known = [section for section in sections if section.kind.endswith(("lat", "bw"))]
    assumed = [one for one in known if "msg_size" not in one.values and options.size_bytes is None]
    warning = (
        "size-assumed",
        "the file does not say how long the messages were: taken for qperf's own sizes, "
        + ", ".join(
            sorted(
                {
                    f"{_size(text, one, options)} bytes of {one.transport}_{one.kind}"
                    for one in assumed
                }
            )
        ),
        "run qperf with -vu, or say it with --size",
    )
    return Content(
        "qperf",
        [_test(text, section, options) for section in known],
        _CONVENTION,
        cut=cut,
        left_out=[f"{one.transport}_{one.kind}" for one in sections if one not in known],
        warnings=[warning] if assumed else [],
    )


def _sections(text: Text) -> tuple[list[_Section], Cut | None]:
    found: list[_Section] = []
    for number, line in text.numbered():
        title, value = _TITLE.fullmatch(line.rstrip()), _VALUE.fullmatch(line)
        if number == len(text.lines) and line.strip():
            return _with_results(text, found[:-1]), text.cut_at(number)
        if title:
            found.append(_Section(number, title[1], title[2]))
        elif value and found:
            found[-1].values[value[1]] = number, value[2], value[3].strip()
        elif line.strip():
            raise text.refuse(
                number,
                f"not qperf's: {text.shown(number)}",
                "expected 'tcp_lat:' and lines 'latency = 7.67 us'",
            )
    return _without_cut(text, found)


def _without_cut(text: Text, found: list[_Section]) -> tuple[list[_Section], Cut | None]:
    """A last test that lacks its result, or the size that the others have, was cut."""
    last = found[-1]
    is_odd = "msg_size" not in last.values and any("msg_size" in one.values for one in found)
    if (last.result is None and not last.kind.endswith("mr")) or is_odd:
        cut = text.cut_at(text.last, "the file ends before the end of this test")
        return _with_results(text, found[:-1]), cut
    return _with_results(text, found), None


def _with_results(text: Text, sections: list[_Section]) -> list[_Section]:
    for section in sections:
        if section.result is None and not section.kind.endswith("mr"):
            raise text.refuse(
                section.line,
                f"a test without a result: {text.shown(section.line)}",
                "expected latency or bw",
            )
    return sections


def _test(text: Text, section: _Section, options: Options) -> Test:
    name = section.result
    assert name is not None
    number, digits, unit = section.values[name]
    value = text.positive(number, digits.replace(",", "") if "." in digits else digits, name)
    size = _size(text, section, options)
    if section.is_latency:
        timing = one_way(number, size, value * _unit_ns(text, number, unit))
    else:
        timing = streamed(number, size, value * _unit_mbytes_s(text, number, unit))
    facts = {key: f"{given[1]} {given[2]}".strip() for key, given in section.values.items()}
    transport = section.transport if options.transport == "unknown" else options.transport
    pattern = Pingpong() if section.is_latency else Stream(window=1)
    return Test(
        f"{section.transport}-{section.kind}", pattern, transport, [timing], section.line, facts
    )


def _unit_ns(text: Text, number: int, unit: str) -> float:
    if unit not in _TIMES_NS:
        raise text.refuse(number, f"a time in {unit!r}", f"expected {', '.join(_TIMES_NS)}")
    return _TIMES_NS[unit]


def _unit_mbytes_s(text: Text, number: int, unit: str) -> float:
    match = _RATES.fullmatch(unit)
    if not match:
        raise text.refuse(
            number, f"a rate in {unit!r}", "expected GB/sec, MB/sec, Gb/sec and so on"
        )
    return 1000.0 ** _POWER[match[1]] / 1e6 / (8 if match[2] in ("b", "bits") else 1)


def _size(text: Text, section: _Section, options: Options) -> int:
    """Bytes of a message: as asked for, as printed, or what qperf takes when nothing is said."""
    if options.size_bytes:
        return options.size_bytes
    if "msg_size" in section.values:
        number, value, unit = section.values["msg_size"]
        exact = _EXACT.search(unit)
        if exact:
            return text.count(number, exact[1].replace(",", ""), "msg_size")
        if unit not in _SIZES:
            raise text.refuse(number, f"a size in {unit!r}", f"expected {', '.join(_SIZES)}")
        return round(text.positive(number, value.replace(",", ""), "msg_size") * _SIZES[unit])
    if section.kind.endswith("lat"):
        return 1
    if (section.transport, section.kind) not in _DEFAULT_BYTES:
        raise text.refuse(
            section.line,
            f"{text.shown(section.line)} does not say its message size",
            "say it with --size",
        )
    return _DEFAULT_BYTES[section.transport, section.kind]
