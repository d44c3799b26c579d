"""What importers read out of files: tests with their timings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from weft.base.errors import RequestError
from weft.plan.pattern import Pairs, Pattern
from weft.understand.formats.importers.text import Cut, SourceLine

MOST_MESSAGES = 2**31 - 1
MOST_BYTES = 2**50
MOST_NS = 2**62
ENDS = ("client", "server")
"""The two ends where a tool does not name them."""

BOTH_WAYS = Pairs(nodes=(0, 1), stride=None, from_=(0,), to=(1,), duplex="full")
"""Two nodes that send to each other at the same time."""


@dataclass(frozen=True)
class ImportOptions:
    """What a file cannot say about itself.

    `partial` imports the whole results of a file that was cut. `bidir` says that both directions were
    busy, so that sizes and rates count both. `transport` names what carried the messages, `size_bytes`
    how long they were.
    """

    partial: bool = False
    bidir: bool = False
    transport: str = "unknown"
    size_bytes: int | None = None


@dataclass(frozen=True)
class ImportedTiming:
    """One timed batch, from the line of the file that says it; `elapsed_ns` as in `weft.runs.samples`."""

    line: SourceLine
    size_bytes: int
    messages: int
    elapsed_ns: int
    src: int = 0
    dst: int = 1
    start_ns: int = 0


@dataclass(frozen=True)
class Test:
    """One test of a tool: a step of the run. The same test again in the same file is another launch, unless it is of
    other sizes: then it goes on with the launch.

    `facts` is what the tool said beside the times; it goes to run.json as it is. `window` and the like are in
    `pattern`. `transport` holds unless the user names another. `repeats` says that a size may stand there many times.
    """

    name: str
    pattern: Pattern
    transport: str
    timings: list[ImportedTiming]
    line: SourceLine
    facts: Mapping[str, object] = field(default_factory=dict)
    repeats: bool = False


@dataclass(frozen=True)
class Content:
    """What a file holds. `convention` is what the tool counts and what became of it, `left_out` what weft has no
    pattern for. `node_facts` are what the file says of nodes, by name."""

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
    """A batch whose time is that of a calculation: to the nanosecond, one at least."""
    return ImportedTiming(line, size_bytes, messages, max(1, round(elapsed_ns)), **place)


def one_way(line: SourceLine, size_bytes: int, time_ns: float, **place: int) -> ImportedTiming:
    """A ping-pong whose half round trip is known but not how many made it."""
    return _mean_of(line, size_bytes, 2 * time_ns, place)


def streamed(line: SourceLine, size_bytes: int, mbytes_s: float, **place: int) -> ImportedTiming:
    """Messages in one direction at so many 10^6 bytes a second, when their number is not known."""
    return _mean_of(line, size_bytes, size_bytes / mbytes_s * 1e3, place)


def counted(
    line: SourceLine, size_bytes: int, total_bytes: float, elapsed_ns: float
) -> ImportedTiming:
    """What carried `total_bytes` in messages of `size_bytes`: the last one is seldom whole, so the time is stretched or
    shortened to that of a whole number of them, and the rate stays."""
    messages = min(MOST_MESSAGES, max(1, round(total_bytes / size_bytes)))
    elapsed_ns = elapsed_ns * messages * size_bytes / total_bytes
    return ImportedTiming(line, size_bytes, messages, round(elapsed_ns))


def _mean_of(
    line: SourceLine, size_bytes: int, each_ns: float, place: dict[str, int]
) -> ImportedTiming:
    """As many messages as keep the digits of a mean; where none are needed, one."""
    messages = 1
    while messages < 10**6 and abs(round(each_ns * messages) / messages - each_ns) > 1e-6 * each_ns:
        messages *= 10
    return timed(line, size_bytes, messages, min(each_ns * messages, MOST_NS), **place)


def refuse_sizes(line: SourceLine, request: int, response: int) -> RequestError:
    """The refusal of a round trip whose two messages are of different sizes."""
    return line.wrong(
        f"requests of {request} and responses of {response} bytes: half a round trip is no message's time",
        "measure with equal sizes, or say the size to take with --size",
    )
