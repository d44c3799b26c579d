"""qperf: its bandwidth and latency tests, alone, verbose, or over a loop of sizes."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from weft.plan.pattern import Pingpong, Stream
from weft.understand.formats.importers.imported import (
    ENDS,
    Content,
    ImportOptions,
    Test,
    one_way,
    streamed,
)
from weft.understand.formats.importers.passed_over import SkippedLines
from weft.understand.formats.importers.text import Cut, SourceLine, Text

SIGN = re.compile(r"^[a-z]+(_[a-z]+)*_(lat|bw|mr):$", re.MULTILINE)

_TITLE = re.compile(r"([a-z]+)_((?:[a-z]+_)*(?:lat|bw|mr)):")
_VALUE = re.compile(r"\s++(\w++)\s*+=\s*+(\S++)\s*+(.*)")
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
    ("uc", "bw"): 65536,
    ("rc", "rdma_write_bw"): 65536,
    ("rc", "rdma_read_bw"): 65536,
    ("uc", "rdma_write_bw"): 65536,
}
_CONF = "conf:"
_CORES = re.compile(r"(\d{1,6}) Cores?: *+(.*)")
_FASTER = 1.05
"""The factor by which a message may exceed the measured bandwidth before its size is considered wrong."""

_CONVENTION = (
    "latency is half the round trip; rates are what was received, GB of 10^9 bytes and Gb of 10^9"
    " bits; the file does not say how many messages: as many as keep its digits"
)


@dataclass
class _Section:
    """A test: each name with its line, value and unit."""

    line: SourceLine
    transport: str
    kind: str
    values: dict[str, tuple[SourceLine, str, str]] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return f"{self.transport}_{self.kind}"

    @property
    def is_latency(self) -> bool:
        return "latency" in self.values

    @property
    def result(self) -> str | None:
        """The name of its result: the received rate if both ends are given; None if there is no result."""
        return next((name for name in ("latency", "recv_bw", "bw") if name in self.values), None)


def read(text: Text, options: ImportOptions) -> Content:
    """qperf's tests; raises RequestError, naming line and reason."""
    foreign, conf = SkippedLines(), dict[str, str]()
    sections, cut = _sections(text, foreign, conf)
    known = [section for section in sections if section.kind.endswith(("lat", "bw"))]
    assumed = [one for one in known if "msg_size" not in one.values and options.size_bytes is None]
    own = {f"{_size(one, options)} bytes of {one.name}" for one in assumed}
    warning = (
        "size-assumed",
        "the file does not say how long the messages were: taken for qperf's own sizes, "
        + ", ".join(sorted(own)),
        "run qperf with -vu; or, where it was given -m, say that size with --size: it is then of all tests",
    )
    tests = [_test(section, options) for section in known]
    _refuse_too_fast(tests)
    client, server = (conf.get(f"{end}_node", name) for end, name in zip(_SIDES, ENDS, strict=True))
    nodes = (client, server) if client != server else ENDS
    return Content(
        "qperf",
        tests,
        _CONVENTION,
        nodes=nodes,
        cut=cut,
        left_out=[one.name for one in sections if one not in known],
        warnings=[*([warning] if assumed else []), *foreign.warnings("qperf")],
        node_facts={
            node: _node_facts(conf, side) for node, side in zip(nodes, _SIDES, strict=True)
        },
    )


_SIDES = ("loc", "rem")
"""Prefixes of the client, which prints, and of the server."""


def _node_facts(conf: Mapping[str, str], side: str) -> dict[str, object]:
    """Facts of a node from qperf's test `conf`, with the names that agents use."""
    cores = _CORES.match(conf.get(f"{side}_cpu", ""))
    found: dict[str, object] = {}
    if cores:
        found |= {"cpus": int(cores[1]), "cpu_model": " ".join(cores[2].split())}
    if system := conf.get(f"{side}_os"):
        found["kernel"] = system.removeprefix("Linux ")
    return found


def _refuse_too_fast(tests: Sequence[Test]) -> None:
    """Raises RequestError if a latency implies a higher rate than the bandwidth measured over the same transport, which
    means that its messages were shorter than stated."""
    best: dict[str, float] = {}
    for test in tests:
        if isinstance(test.pattern, Stream):
            rate = max(one.size_bytes * one.messages / one.elapsed_ns for one in test.timings)
            best[test.transport] = max(rate, best.get(test.transport, 0.0))
    for test in tests:
        for one in test.timings:
            rate = 2 * one.size_bytes * one.messages / one.elapsed_ns
            most = best.get(test.transport)
            if isinstance(test.pattern, Pingpong) and most and rate > _FASTER * most:
                raise one.line.wrong(
                    f"{one.size_bytes} bytes in this time would be {rate * 8:.3g} Gb/s, and the bandwidth that was "
                    f"measured is {most * 8:.3g} Gb/s",
                    "its messages were shorter: import latencies and bandwidths apart, each with its --size",
                )


def _sections(
    text: Text, foreign: SkippedLines, conf: dict[str, str]
) -> tuple[list[_Section], Cut | None]:
    """The tests; fills `conf` with the values of the test of that name, which is no measurement."""
    found: list[_Section] = []
    is_conf = False
    for line in text.lines:
        if line.is_open and line.text.strip():
            return _with_results(found[:-1]), line.cut()
        if line.text.rstrip() == _CONF:
            is_conf = True
        elif title := _TITLE.fullmatch(line.text.rstrip()):
            is_conf = False
            found.append(_Section(line, title[1], title[2]))
        elif is_conf and (value := _VALUE.fullmatch(line.text)):
            conf[value[1]] = f"{value[2]} {value[3]}".strip()
        elif (value := _VALUE.fullmatch(line.text)) and found:
            found[-1].values[value[1]] = line, value[2], value[3].strip()
        else:
            foreign.add(line)
    if not found:
        raise text.lines[0].refuse("no qperf test", "expected 'tcp_lat:' and 'latency = 7.67 us'")
    return _without_cut(text, found)


def _without_cut(text: Text, found: list[_Section]) -> tuple[list[_Section], Cut | None]:
    """Removes the last test if it was cut: it lacks its result, or the size that the others have."""
    last = found[-1]
    is_odd = "msg_size" not in last.values and any("msg_size" in one.values for one in found)
    if (last.result is None and not last.kind.endswith("mr")) or is_odd:
        cut = text.last.cut("the file ends before the end of this test")
        return _with_results(found[:-1]), cut
    return _with_results(found), None


def _with_results(sections: list[_Section]) -> list[_Section]:
    for section in sections:
        if section.result is None and not section.kind.endswith("mr"):
            raise section.line.refuse("a test without a result", "expected latency or bw")
    return sections


def _test(section: _Section, options: ImportOptions) -> Test:
    name = section.result
    assert name is not None
    line, digits, unit = section.values[name]
    value = line.positive(digits.replace(",", "") if "." in digits else digits, name)
    size = _size(section, options)
    if section.is_latency:
        timing = one_way(line, size, value * _unit_of(line, "a time", unit, _TIMES_NS))
    else:
        timing = streamed(line, size, value * _unit_mbytes_s(line, unit))
    facts = {key: f"{given[1]} {given[2]}".strip() for key, given in section.values.items()}
    pattern = Pingpong() if section.is_latency else Stream(window=1)
    name = f"{section.transport}-{section.kind}"
    return Test(name, pattern, section.transport, [timing], section.line, facts)


def _unit_of(line: SourceLine, what: str, unit: str, known: Mapping[str, float]) -> float:
    if unit not in known:
        raise line.wrong(f"{what} in {unit!r}", f"expected {', '.join(known)}")
    return known[unit]


def _unit_mbytes_s(line: SourceLine, unit: str) -> float:
    match = _RATES.fullmatch(unit)
    if not match:
        raise line.wrong(f"a rate in {unit!r}", "expected GB/sec, MB/sec, Gb/sec and so on")
    return 1000.0 ** _POWER[match[1]] / 1e6 / (8 if match[2] in ("b", "bits") else 1)


def _size(section: _Section, options: ImportOptions) -> int:
    """Bytes of a message: from the options, from the file, or else qperf's default; raises RequestError if unknown."""
    if options.size_bytes:
        return options.size_bytes
    if "msg_size" in section.values:
        line, value, unit = section.values["msg_size"]
        if exact := _EXACT.search(unit):
            return line.count(exact[1].replace(",", ""), "msg_size")
        bytes_ = _unit_of(line, "a size", unit, _SIZES)
        return round(line.positive(value.replace(",", ""), "msg_size") * bytes_)
    if section.kind.endswith("lat"):
        return 1
    if (section.transport, section.kind) not in _DEFAULT_BYTES:
        raise section.line.wrong(
            f"{section.line.shown} does not say its message size", "say it with --size"
        )
    return _DEFAULT_BYTES[section.transport, section.kind]
