"""The results that importers read from files: tests with their timings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from weft.base.errors import RequestError
from weft.plan.pattern import Pairs, Pattern
from weft.understand.formats.importers.text import Cut, SourceLine

MOST_MESSAGES = 2**31 - 1
MOST_BYTES = 2**50
MOST_NS = 2**62
ENDS = ("client", "server")
"""The names of two ends that a tool does not name."""

BOTH_WAYS = Pairs(nodes=(0, 1), stride=None, from_=(0,), to=(1,), duplex="full")
"""Two nodes that send to each other at the same time."""


@dataclass(frozen=True)
class ImportOptions:
    """What the user states because a file does not.

    `partial` imports the complete results of a file that was cut. `bidir`: both directions were busy, and sizes and
    rates count both. `transport` carried the messages, `size_bytes` is their length.
    """

    partial: bool = False
    bidir: bool = False
    transport: str = "unknown"
    size_bytes: int | None = None


@dataclass(frozen=True)
class ImportedTiming:
    """One timed batch, with its line in the file; `elapsed_ns` as in `weft.runs.samples`."""

    line: SourceLine
    size_bytes: int
    messages: int
    elapsed_ns: int
    src: int = 0
    dst: int = 1
    start_ns: int = 0


@dataclass(frozen=True)
class Test:
    """One test of a tool, which becomes a step of the run. If the same test occurs again in the file, it is another
    launch, or, with other sizes, a continuation of the launch.

    `facts` are the tool's other outputs, which go to run.json unchanged. `window` and the like are in `pattern`.
    `transport` holds unless the user names another. `repeats`: a size may occur many times.
    """

    name: str
    pattern: Pattern
    transport: str
    timings: list[ImportedTiming]
    line: SourceLine
    facts: dict[str, Any] = field(default_factory=dict)
    repeats: bool = False


@dataclass(frozen=True)
class Content:
    """The content of a file. `convention` describes what the tool counts and how it was converted, `left_out` names
    tests without a pattern in weft. `node_facts` are the file's facts of nodes, by name."""

    format: str
    tests: list[Test]
    convention: str
    statistic: Literal["batch", "best", "mean"] = "mean"
    nodes: Sequence[str] = ENDS
    cut: Cut | None = None
    left_out: list[str] = field(default_factory=list)
    warnings: list[tuple[str, str, str]] = field(default_factory=list)
    node_facts: Mapping[str, Mapping[str, object]] = field(default_factory=dict)


def timed(
    line: SourceLine, size_bytes: int, messages: int, elapsed_ns: float, **place: int
) -> ImportedTiming:
    """A batch with a computed time, rounded to nanoseconds, at least one."""
    return ImportedTiming(line, size_bytes, messages, max(1, round(elapsed_ns)), **place)


def one_way(line: SourceLine, size_bytes: int, time_ns: float, **place: int) -> ImportedTiming:
    """A ping-pong of unknown number, given half its round trip."""
    return _mean_of(line, size_bytes, 2 * time_ns, place)


def streamed(line: SourceLine, size_bytes: int, mbytes_s: float, **place: int) -> ImportedTiming:
    """Messages of unknown number in one direction, given their rate in 10^6 bytes per second."""
    return _mean_of(line, size_bytes, size_bytes / mbytes_s * 1e3, place)


def counted(
    line: SourceLine, size_bytes: int, total_bytes: float, elapsed_ns: float
) -> ImportedTiming:
    """A batch of `total_bytes` in messages of `size_bytes`. The last one is seldom complete, so the time is scaled to
    that of a whole number of messages, which keeps the rate."""
    messages = min(MOST_MESSAGES, max(1, round(total_bytes / size_bytes)))
    elapsed_ns = elapsed_ns * messages * size_bytes / total_bytes
    return ImportedTiming(line, size_bytes, messages, round(elapsed_ns))


def _mean_of(
    line: SourceLine, size_bytes: int, each_ns: float, place: dict[str, int]
) -> ImportedTiming:
    """A batch with as many messages as its time in whole ns needs to keep the digits of the mean."""
    messages = 1
    while messages < 10**6 and abs(round(each_ns * messages) / messages - each_ns) > 1e-6 * each_ns:
        messages *= 10
    return timed(line, size_bytes, messages, min(each_ns * messages, MOST_NS), **place)


def refuse_sizes(line: SourceLine, request: int, response: int) -> RequestError:
    """The error for round trips whose two messages have different sizes."""
    return line.wrong(
        f"requests of {request} and responses of {response} bytes: half a round trip is no message's time",
        "measure with equal sizes, or say the size to take with --size",
    )
