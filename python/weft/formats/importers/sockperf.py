"""sockperf: ping-pong, under-load and throughput; what it prints, and the packets of --full-log."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from weft.formats.importers.imported import (
    Content,
    Options,
    Test,
    Timing,
    one_way,
    streamed,
)
from weft.formats.importers.text import Cut, Text
from weft.plan.pattern import Pingpong, Stream

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
    """What was found from one '[Total Run]' to the next."""

    line: int
    transport: str | None
    size: int | None = None
    mean: tuple[int, str, str] | None = None
    message_rate: tuple[int, str] | None = None
    bandwidth: tuple[int, str] | None = None
    log: list[Timing] = field(default_factory=list)
    logs_packets: bool = False
    is_whole: bool = False
    facts: dict[str, float] = field(default_factory=dict)


def read(text: Text, options: Options) -> Content:
    """sockperf's outputs; raises RequestError, naming line and reason."""
    text.require(SIGN, "expected lines that begin with 'sockperf: '")
    outputs, cut = _outputs(text, options)
    assumed = [one for one in outputs if one.size is None and options.size_bytes is None]
    logged = any(one.log for one in outputs)
    if logged and not all(one.log for one in outputs):
        raise text.refuse(
            outputs[0].line, "some outputs have packets and some none", "import them apart"
        )
    tests = [_test(text, one, options) for one in outputs]
    return Content(
        "sockperf",
        tests,
        _CONVENTION,
        "batch" if logged else "mean",
        cut=cut,
        warnings=[
            *([_size_warning()] if assumed and not _rated(assumed) else []),
            *_defects(outputs),
        ],
    )


def _size_warning() -> tuple[str, str, str]:
    message = f"the file does not say how long the messages were: taken for sockperf's {DEFAULT_BYTES} bytes"
    return "size-assumed", message, "say it with --size"


def _rated(outputs: list[_Output]) -> bool:
    return all(one.bandwidth for one in outputs)


def _outputs(text: Text, options: Options) -> tuple[list[_Output], Cut | None]:
    found: list[_Output] = []
    transport: str | None = None
    size: int | None = None
    for number, line in text.numbered():
        named = re.match(r"\[ ?\d+\] IP = .* # (TCP|UDP)", line)
        transport = named[1].lower() if named else transport
        given = _SIZE.search(line)
        size = int(given[1]) if given else size
        if line.startswith(_STARTS):
            found.append(_Output(number, transport, size))
        elif found and found[-1].logs_packets and line[:1].isdigit():
            if number == len(text.lines):
                break
            found[-1].log.append(_packet(text, number, found[-1], options))
        elif found:
            found[-1].size = size
            _read_line(text, number, line, found[-1])
    return _whole(text, found)


def _whole(text: Text, found: list[_Output]) -> tuple[list[_Output], Cut | None]:
    """The outputs that reach their last line; packets before a cut are whole each."""
    if not found:
        return found, text.cut_at(text.last, "no results: the file ends before the statistics")
    if found[-1].is_whole:
        return found, None
    kept = found if found[-1].log else found[:-1]
    return kept, text.cut_at(text.last, "the file ends before sockperf's last line")


def _read_line(text: Text, number: int, line: str, output: _Output) -> None:
    mean, percentile, dropped = _MEAN.search(line), _PERCENTILE.search(line), _DROPPED.search(line)
    rate, bandwidth = _RATE.search(line), _BANDWIDTH.search(line)
    if mean:
        output.mean = number, mean[1], mean[2]
    elif percentile and number < len(text.lines):
        name = f"p{percentile[1]}" if percentile[1] else percentile[2].lower()
        output.facts[f"{name}_us"] = text.value(number, percentile[3], name)
    elif dropped:
        output.facts |= {
            name: int(count) for name, count in zip(_DEFECTS, dropped.groups(), strict=True)
        }
    elif rate:
        output.message_rate = number, rate[1]
    elif bandwidth:
        output.bandwidth = number, bandwidth[1]
    if line.startswith(_LOG_HEADER):
        output.logs_packets, output.is_whole = True, False
    elif _LAST.search(line) or (output.log and line.startswith(_RULE)):
        output.is_whole = True


def _packet(text: Text, number: int, output: _Output, options: Options) -> Timing:
    """`packet, txTime, rxTime, latency`: the times have nanoseconds, so the round trip is taken from them."""
    fields = [field.strip() for field in text.lines[number - 1].split(",")]
    if len(fields) < 4:
        raise text.refuse(
            number, f"not a packet: {text.shown(number)}", f"expected {_LOG_HEADER}, latency(usec)"
        )
    sent, arrived = (text.value(number, field, "a time") for field in fields[1:3])
    trip_ns = round((arrived - sent) * 1e9)
    if trip_ns <= 0 or abs(sent) > 1e9:
        raise text.refuse(number, f"a packet that arrived before it left: {text.shown(number)}")
    return Timing(number, _size(output, options), 1, trip_ns, start_ns=round(sent * 1e9))


def _size(output: _Output, options: Options) -> int:
    return options.size_bytes or output.size or DEFAULT_BYTES


def _test(text: Text, output: _Output, options: Options) -> Test:
    transport = output.transport if options.transport == "unknown" else options.transport
    timings = output.log
    if output.bandwidth:
        timings = [_throughput(text, output, options)]
    elif output.mean and not timings:
        number, kind, value = output.mean
        mean_us = text.positive(number, value, f"avg-{kind}")
        timings = [
            one_way(number, _size(output, options), mean_us * (500 if kind == "rtt" else 1000))
        ]
    return Test(
        "throughput" if output.bandwidth else "ping-pong",
        Stream(window=1) if output.bandwidth else Pingpong(),
        transport or "unknown",
        timings,
        output.line,
        dict(output.facts),
        repeats=True,
    )


def _throughput(text: Text, output: _Output, options: Options) -> Timing:
    """The size is not printed, but follows from bandwidth and message rate."""
    assert output.bandwidth is not None
    number, value = output.bandwidth
    mbytes_s = text.positive(number, value, "MBps") * MBYTE / 1e6
    size = options.size_bytes or output.size
    if output.message_rate:
        rate = text.positive(*output.message_rate, "the message rate")
        size = size or max(1, round(mbytes_s * 1e6 / rate))
        return streamed(number, size, size * rate / 1e6)
    return streamed(number, size or DEFAULT_BYTES, mbytes_s)


def _defects(outputs: list[_Output]) -> list[tuple[str, str, str]]:
    found = {name: sum(int(one.facts.get(name, 0)) for one in outputs) for name in _DEFECTS}
    told = ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in found.items() if count)
    return (
        [("packets-lost", f"messages: {told}", "times are of those that came back")] if told else []
    )
