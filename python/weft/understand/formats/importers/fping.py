"""fping: round trips to one host or many (-C and -c)."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

from weft.plan.pattern import Matrix, Pingpong
from weft.understand.formats.importers.imported import (
    Content,
    ImportedTiming,
    ImportOptions,
    Test,
    timed,
)
from weft.understand.formats.importers.passed_over import Warned
from weft.understand.formats.importers.text import Cut, SourceLine, Text

SIGN = re.compile(
    r"^\S+\s+: (\[\d+\], \d+ bytes|xmt/rcv/%loss|(\d++\.?+\d*+|-)( (\d++\.?+\d*+|-))*+$)",
    re.MULTILINE,
)
DEFAULT_BYTES = 56
ICMP_HEADER_BYTES = 8

_LIST = re.compile(r"(\S+)\s+: ((?:[\d.,]+|-)(?: (?:[\d.,]+|-))*)\s*")
_REPLY = re.compile(r"(\S+)\s+: \[(\d+)\], (?:(\d+) bytes, (\S+) ms|timed out).*")
_SUMMARY = re.compile(
    r"(\S+)\s+: xmt/rcv/%loss = (\d+)/(\d+)/[^,]*(?:, min/avg/max = ([^/]+)/([^/]+)/(\S+))?\s*"
)
_NOISE = re.compile(r"\s*$|ICMP |\S+: |\S+ (address not found|is unreachable)|\s*\[|#")

_UNPROBED = re.compile(r"(\S+): (.+)|(\S+) (address not found)")
"""The message about a host that could not be probed."""

_CONVENTION = (
    "round trips of ICMP echoes in ms, each a row; what was lost is no row, but counted by host"
)


@dataclass
class _Host:
    """The round trips of one host, with echoes sent and received; `means` are those of its summaries."""

    trips: list[tuple[SourceLine, str]] = field(default_factory=list)
    means: list[tuple[SourceLine, str]] = field(default_factory=list)
    sent: int = 0
    received: int = 0
    data_bytes: int | None = None
    is_told_singly: bool = False


def read(text: Text, options: ImportOptions) -> Content:
    """fping's lines; raises RequestError, naming line and reason."""
    hosts, cut = _hosts(text)
    said = hosts.values()
    only_means = any(host.means for host in said) and not any(host.trips for host in said)
    assumed = options.size_bytes is None and all(host.data_bytes is None for host in said)
    return Content(
        format="fping",
        tests=_tests(text, hosts, options, only_means),
        convention=_CONVENTION if not only_means else _CONVENTION + "; here only their mean",
        statistic="mean" if only_means else "batch",
        nodes=["here", *hosts],
        cut=cut,
        warnings=[
            *([_SIZE_WARNING] if assumed else []),
            *_losses(hosts),
            *_unprobed(text),
        ],
    )


_SIZE_WARNING = (
    "size-assumed",
    f"the file does not say how long the echoes were: taken for fping's {DEFAULT_BYTES} bytes",
    "say it with --size",
)


def _unprobed(text: Text) -> Iterator[Warned]:
    for line in text.lines:
        if found := _UNPROBED.match(line.text):
            host, why = found[1] or found[3], found[2] or found[4]
            yield (
                "passed-over",
                f"{host} was not probed: {why.strip()[:80]}",
                "see that its name is right",
            )


def _hosts(text: Text) -> tuple[dict[str, _Host], Cut | None]:
    found: defaultdict[str, _Host] = defaultdict(_Host)
    for line in text.lines:
        if line.is_open and line.text.strip():
            return found, line.cut()
        if reply := _REPLY.fullmatch(line.text):
            _read_reply(found[reply[1]], line, reply)
        elif summary := _SUMMARY.fullmatch(line.text):
            _read_summary(found[summary[1]], line, summary)
        elif trips := _LIST.fullmatch(line.text):
            _read_list(found[trips[1]], line, trips)
        elif not _NOISE.match(line.text):
            raise line.refuse("not fping's", "expected 'HOST : 0.12 0.13 -' (fping -C)")
    if not found:
        hint = "expected 'HOST : 0.12 0.13 -' (fping -C N -q)"
        raise text.last.wrong("no host's round trips", hint)
    return found, None


def _read_list(host: _Host, line: SourceLine, trips: re.Match[str]) -> None:
    """Reads `HOST : 0.016 0.031 -`: round trips and losses."""
    came_back = [(line, value) for value in trips[2].split() if value != "-"]
    host.is_told_singly = True
    host.sent += len(trips[2].split())
    host.received += len(came_back)
    host.trips += came_back


def _read_reply(host: _Host, line: SourceLine, reply: re.Match[str]) -> None:
    """Reads `HOST : [0], 64 bytes, 0.016 ms (...)`, whose bytes include the header."""
    host.is_told_singly = True
    host.sent += 1
    if reply[4]:
        host.trips.append((line, reply[4]))
        host.received += 1
        host.data_bytes = max(1, int(reply[3][:9]) - ICMP_HEADER_BYTES)


def _read_summary(host: _Host, line: SourceLine, summary: re.Match[str]) -> None:
    """Reads the summary of -c, which replaces the replies if -q suppressed them."""
    if not host.is_told_singly:
        host.sent += int(summary[2][:9])
        host.received += int(summary[3][:9])
        host.means += [(line, summary[5])] if summary[5] else []


def _tests(text: Text, hosts: dict[str, _Host], options: ImportOptions, means: bool) -> list[Test]:
    """A ping-pong with one host, a star of them with many."""
    timings = [
        timing
        for at, host in enumerate(hosts.values(), start=1)
        for timing in _timings(host, at, options, means)
    ]
    star = Matrix(nodes=None, measure="latency", duplex=None)
    pattern = Pingpong() if len(hosts) == 1 else star
    counts = {name: {"sent": one.sent, "received": one.received} for name, one in hosts.items()}
    test = Test("echo", pattern, "icmp", timings, text.lines[0], {"hosts": counts}, repeats=True)
    return [test] if hosts else []


def _timings(host: _Host, at: int, options: ImportOptions, means: bool) -> Iterator[ImportedTiming]:
    size = options.size_bytes or host.data_bytes or DEFAULT_BYTES
    for line, value in host.means if means else host.trips:
        yield timed(line, size, 1, line.positive(value, "a round trip in ms") * 1e6, dst=at)


def _losses(hosts: dict[str, _Host]) -> Iterator[tuple[str, str, str]]:
    for name, host in hosts.items():
        if host.received < host.sent:
            lost = f"lost {host.sent - host.received} of {host.sent} echoes"
            yield (
                "packets-lost",
                f"{name} {lost if host.received else 'never answered'}",
                "lost echoes are no rows: times are of those that came back",
            )
