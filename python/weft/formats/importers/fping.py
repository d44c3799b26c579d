"""fping: round trips to one host or many (-C and -c)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from weft.formats.importers.imported import Content, Options, Test, Timing
from weft.formats.importers.text import Cut, Text
from weft.plan.pattern import Matrix, Pingpong

SIGN = re.compile(
    r"^\S+\s+: (\[\d+\], \d+ bytes|xmt/rcv/%loss|(\d+\.?\d*|-)( (\d+\.?\d*|-))*$)", re.MULTILINE
)
DEFAULT_BYTES = 56
ICMP_HEADER_BYTES = 8

_LIST = re.compile(r"(\S+)\s+: ((?:[\d.,]+|-)(?: (?:[\d.,]+|-))*)\s*")
_REPLY = re.compile(r"(\S+)\s+: \[(\d+)\], (?:(\d+) bytes, (\S+) ms|timed out).*")
_SUMMARY = re.compile(
    r"(\S+)\s+: xmt/rcv/%loss = (\d+)/(\d+)/[^,]*(?:, min/avg/max = ([^/]+)/([^/]+)/(\S+))?\s*"
)
_NOISE = re.compile(r"\s*$|ICMP |\S+: |\S+ (address not found|is unreachable)|\s*\[|#")

_CONVENTION = (
    "round trips of ICMP echoes in ms, each a row; what was lost is no row, but counted by host"
)


@dataclass
class _Host:
    """What came back from one host, and how many went there; `means` are of its summaries."""

    line: int
    trips: list[tuple[int, str]] = field(default_factory=list)
    means: list[tuple[int, str]] = field(default_factory=list)
    sent: int = 0
    received: int = 0
    data_bytes: int | None = None
    is_told_singly: bool = False


def read(text: Text, options: Options) -> Content:
    """fping's lines; raises RequestError, naming line and reason."""
    hosts, cut = _hosts(text)
    only_means = all(not host.trips for host in hosts.values()) and any(
        host.means for host in hosts.values()
    )
    assumed = options.size_bytes is None and all(host.data_bytes is None for host in hosts.values())
    return Content(
        format="fping",
        tests=_tests(text, hosts, options, only_means),
        convention=_CONVENTION if not only_means else _CONVENTION + "; here only their mean",
        statistic="mean" if only_means else "batch",
        nodes=["here", *hosts],
        cut=cut,
        warnings=[*([_SIZE_WARNING] if assumed else []), *_losses(hosts)],
    )


_SIZE_WARNING = (
    "size-assumed",
    f"the file does not say how long the echoes were: taken for fping's {DEFAULT_BYTES} bytes",
    "say it with --size",
)


def _hosts(text: Text) -> tuple[dict[str, _Host], Cut | None]:
    found: dict[str, _Host] = {}
    for number, line in text.numbered():
        trips, reply = _LIST.fullmatch(line), _REPLY.fullmatch(line)
        summary = _SUMMARY.fullmatch(line)
        if number == len(text.lines) and line.strip():
            return found, text.cut_at(number)
        if reply:
            _read_reply(found.setdefault(reply[1], _Host(number)), number, reply)
        elif summary:
            _read_summary(found.setdefault(summary[1], _Host(number)), number, summary)
        elif trips:
            _read_list(found.setdefault(trips[1], _Host(number)), number, trips)
        elif not _NOISE.match(line):
            raise text.refuse(
                number,
                f"not fping's: {text.shown(number)}",
                "expected 'HOST : 0.12 0.13 -' (fping -C)",
            )
    if not found:
        raise text.refuse(
            text.last, "no host's round trips", "expected 'HOST : 0.12 0.13 -' (fping -C N -q)"
        )
    return found, None


def _read_list(host: _Host, number: int, trips: re.Match[str]) -> None:
    """`HOST : 0.016 0.031 -`: a round trip each, or a loss."""
    came_back = [(number, value) for value in trips[2].split() if value != "-"]
    host.is_told_singly = True
    host.sent += len(trips[2].split())
    host.received += len(came_back)
    host.trips += came_back


def _read_reply(host: _Host, number: int, reply: re.Match[str]) -> None:
    """`HOST : [0], 64 bytes, 0.016 ms (...)`: fping counts the header among the bytes."""
    host.is_told_singly = True
    host.sent += 1
    if reply[4]:
        host.trips.append((number, reply[4]))
        host.received += 1
        host.data_bytes = max(1, int(reply[3][:9]) - ICMP_HEADER_BYTES)


def _read_summary(host: _Host, number: int, summary: re.Match[str]) -> None:
    """What -c says at the end: it stands for the replies where -q kept them back."""
    if not host.is_told_singly:
        host.sent += int(summary[2][:9])
        host.received += int(summary[3][:9])
        host.means += [(number, summary[5])] if summary[5] else []


def _tests(text: Text, hosts: dict[str, _Host], options: Options, means: bool) -> list[Test]:
    """A ping-pong with one host, a star of them with many."""
    timings = [
        timing
        for at, host in enumerate(hosts.values(), start=1)
        for timing in _timings(text, host, at, options, means)
    ]
    star = Matrix(nodes=None, measure="latency", duplex=None)
    pattern = Pingpong() if len(hosts) == 1 else star
    transport = "icmp" if options.transport == "unknown" else options.transport
    facts = {
        "hosts": {
            name: {"sent": host.sent, "received": host.received} for name, host in hosts.items()
        }
    }
    return [Test("echo", pattern, transport, timings, 1, facts, repeats=True)] if hosts else []


def _timings(text: Text, host: _Host, at: int, options: Options, means: bool) -> Iterator[Timing]:
    size = options.size_bytes or host.data_bytes or DEFAULT_BYTES
    for number, value in host.means if means else host.trips:
        trip_ns = text.positive(number, value, "a round trip in ms") * 1e6
        yield Timing(number, size, 1, max(1, round(trip_ns)), dst=at)


def _losses(hosts: dict[str, _Host]) -> Iterator[tuple[str, str, str]]:
    for name, host in hosts.items():
        if host.received < host.sent:
            what = (
                "never answered"
                if host.received == 0
                else f"lost {host.sent - host.received} of {host.sent} echoes"
            )
            yield (
                "packets-lost",
                f"{name} {what}",
                "lost echoes are no rows: times are of those that came back",
            )
