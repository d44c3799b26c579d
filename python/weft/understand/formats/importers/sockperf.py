"""sockperf: ping-pong, under-load and throughput, from its output or the packets of --full-log."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from weft.plan.pattern import Pingpong, Stream
from weft.understand.formats.importers.imported import (
    Content,
    ImportedTiming,
    ImportOptions,
    Test,
    one_way,
    streamed,
)
from weft.understand.formats.importers.text import Cut, SourceLine, Text

SIGN = re.compile(
    r"^sockperf: |^test was performed using the following parameters: --mps", re.MULTILINE
)
DEFAULT_BYTES = 14
MBYTE = 2**20

_STARTS = ("sockperf: [Total Run]", "sockperf: Total of ")
_LAST = re.compile(r"<MIN> observation|BandWidth is \S+ MBps \(\S+ Mbps\)")
_RULE = "----"
_MEAN = re.compile(r"====> avg-(lat|latency|rtt)=\s*(\S+)")
_SIZE = re.compile(r"\bmsg-size=(\d{1,9})\b")
_PERCENTILE = re.compile(r"(?:percentile\s+(\S+)|<(MAX|MIN)> observation)\s*=\s*(\S+)")
_DROPPED = re.compile(
    r"# dropped messages = (\d+); # duplicated messages = (\d+); # out-of-order messages = (\d+)"
)
_RATE = re.compile(r"Message Rate is (\S+) \[msg/sec\]")
_BANDWIDTH = re.compile(r"BandWidth is (\S+) MBps")
_LOG_HEADER = "packet, txTime(sec), rxTime(sec)"
_DEFECTS = ("dropped", "duplicated", "out_of_order")

_CONVENTION = (
    "latency is the mean half round trip, which --full-log says packet by packet (avg-rtt and "
    "--full-rtt: the whole one, halved here); throughput is what the client sent, MBps of 2^20 "
    "bytes"
)


@dataclass
class _Output:
    """The results from one '[Total Run]' to the next."""

    line: SourceLine
    transport: str
    size: int | None = None
    mean: tuple[SourceLine, str, str] | None = None
    message_rate: tuple[SourceLine, str] | None = None
    bandwidth: tuple[SourceLine, str] | None = None
    log: list[ImportedTiming] = field(default_factory=list)
    logs_packets: bool = False
    is_whole: bool = False
    facts: dict[str, float] = field(default_factory=dict)


def read(text: Text, options: ImportOptions) -> Content:
    """sockperf's outputs; raises RequestError, naming line and reason."""
    text.require(SIGN, "expected lines that begin with 'sockperf: '")
    outputs, cut = _outputs(text, options)
    assumed = [one for one in outputs if one.size is None and options.size_bytes is None]
    logged = any(one.log for one in outputs)
    if logged and not all(one.log for one in outputs):
        reason = "some outputs have packets and some none"
        raise outputs[0].line.wrong(reason, "import them apart")
    is_size_open = assumed and not all(one.bandwidth for one in assumed)
    return Content(
        "sockperf",
        [_test(one, options) for one in outputs],
        _CONVENTION,
        "batch" if logged else "mean",
        cut=cut,
        warnings=[*([_SIZE_WARNING] if is_size_open else []), *_defects(outputs)],
    )


_SIZE_WARNING = (
    "size-assumed",
    f"the file does not say how long the messages were: taken for sockperf's {DEFAULT_BYTES} bytes",
    "say it with --size",
)


def _outputs(text: Text, options: ImportOptions) -> tuple[list[_Output], Cut | None]:
    found: list[_Output] = []
    transport, size = "unknown", None
    for line in text.lines:
        if named := re.match(r"\[ ?\d+\] IP = .* # (TCP|UDP)", line.text):
            transport = named[1].lower()
        if given := _SIZE.search(line.text):
            size = int(given[1])
        if line.text.startswith(_STARTS):
            found.append(_Output(line, transport, size))
        elif found and found[-1].logs_packets and line.text[:1].isdigit():
            if line.is_open:
                break
            found[-1].log.append(_packet(line, found[-1], options))
        elif found:
            found[-1].size = size
            _read_line(line, found[-1])
    return _whole(text, found)


def _whole(text: Text, found: list[_Output]) -> tuple[list[_Output], Cut | None]:
    """The complete outputs, and the last one if it has packets, since those before a cut are complete."""
    if not found:
        return found, text.last.cut("no results: the file ends before the statistics")
    if found[-1].is_whole:
        return found, None
    kept = found if found[-1].log else found[:-1]
    return kept, text.last.cut("the file ends before sockperf's last line")


def _read_line(line: SourceLine, output: _Output) -> None:
    if mean := _MEAN.search(line.text):
        output.mean = line, mean[1], mean[2]
    elif (percentile := _PERCENTILE.search(line.text)) and not line.is_open:
        name = f"p{percentile[1]}" if percentile[1] else percentile[2].lower()
        output.facts[f"{name}_us"] = line.value(percentile[3], name)
    elif dropped := _DROPPED.search(line.text):
        output.facts |= dict(zip(_DEFECTS, map(int, dropped.groups()), strict=True))
    elif rate := _RATE.search(line.text):
        output.message_rate = line, rate[1]
    elif bandwidth := _BANDWIDTH.search(line.text):
        output.bandwidth = line, bandwidth[1]
    if line.text.startswith(_LOG_HEADER):
        output.logs_packets, output.is_whole = True, False
    elif _LAST.search(line.text) or (output.log and line.text.startswith(_RULE)):
        output.is_whole = True


def _packet(line: SourceLine, output: _Output, options: ImportOptions) -> ImportedTiming:
    """Reads `packet, txTime, rxTime, latency`; the round trip is computed from the times, which have nanoseconds."""
    fields = [field.strip() for field in line.text.split(",")]
    if len(fields) < 4:
        raise line.refuse("not a packet", f"expected {_LOG_HEADER}, latency(usec)")
    sent, arrived = (line.value(field, "a time") for field in fields[1:3])
    trip_ns = round((arrived - sent) * 1e9)
    if trip_ns <= 0 or abs(sent) > 1e9:
        raise line.refuse("a packet that arrived before it left")
    return ImportedTiming(line, _size(output, options), 1, trip_ns, start_ns=round(sent * 1e9))


def _size(output: _Output, options: ImportOptions) -> int:
    return options.size_bytes or output.size or DEFAULT_BYTES


def _test(output: _Output, options: ImportOptions) -> Test:
    timings = output.log
    if output.bandwidth:
        timings = [_throughput(output, options)]
    elif output.mean and not timings:
        line, kind, value = output.mean
        half_ns = line.positive(value, f"avg-{kind}") * (500 if kind == "rtt" else 1000)
        timings = [one_way(line, _size(output, options), half_ns)]
    return Test(
        "throughput" if output.bandwidth else "ping-pong",
        Stream(window=1) if output.bandwidth else Pingpong(),
        output.transport,
        timings,
        output.line,
        dict(output.facts),
        repeats=True,
    )


def _throughput(output: _Output, options: ImportOptions) -> ImportedTiming:
    """A throughput, whose size, if not printed, follows from bandwidth and message rate."""
    assert output.bandwidth is not None
    line, value = output.bandwidth
    mbytes_s = line.positive(value, "MBps") * MBYTE / 1e6
    size = options.size_bytes or output.size
    if output.message_rate:
        told, value = output.message_rate
        rate = told.positive(value, "the message rate")
        size = size or max(1, round(mbytes_s * 1e6 / rate))
        return streamed(line, size, size * rate / 1e6)
    return streamed(line, size or DEFAULT_BYTES, mbytes_s)


def _defects(outputs: list[_Output]) -> list[tuple[str, str, str]]:
    found = {name: sum(int(one.facts.get(name, 0)) for one in outputs) for name in _DEFECTS}
    told = ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in found.items() if count)
    return (
        [("packets-lost", f"messages: {told}", "times are of those that came back")] if told else []
    )
