"""neper: tcp_rr, udp_rr and the streams; its key=value results and the rows of --all-samples."""

from __future__ import annotations

import re

from weft.plan.pattern import Pingpong, Stream
from weft.understand.formats.importers.imported import (
    Content,
    ImportedTiming,
    ImportOptions,
    Test,
    refuse_sizes,
    streamed,
)
from weft.understand.formats.importers.neper_samples import HEADER, read_samples
from weft.understand.formats.importers.text import Cut, SourceLine, Text

SIGN = re.compile(
    r"^(tid,flow_id,time,|(correlation_coefficient|invalid_secret_count|num_transactions)=)",
    re.MULTILINE,
)

_PAIR = re.compile(r"([A-Za-z]\w*)=(.*)")
_UNIT = re.compile(r"([KMGT]i?)?(bit|b|byte|B)(?:/s|ps)")
_POWER = {"K": 1, "M": 2, "G": 3, "T": 4}
_LAST = "throughput"

CONVENTION = (
    "a transaction is a round trip (its time from transactions over the time of the test and "
    "flows); a stream's rate is what was read at the far end, all flows together"
)

Pairs = dict[str, tuple[SourceLine, str]]
"""The line and the text of each value, by key."""


def read(text: Text, options: ImportOptions) -> Content:
    """neper's result or its samples; raises RequestError, naming line and reason."""
    if any(line.text.startswith(HEADER) for line in text.lines):
        return read_samples(text, options, CONVENTION)
    outputs, cut = _outputs(text)
    return Content("neper", [_test(one, options) for one in outputs], CONVENTION, cut=cut)


def _outputs(text: Text) -> tuple[list[Pairs], Cut | None]:
    """The pairs of each output; a repeated key marks the start of another, concatenated output."""
    found: list[Pairs] = []
    cut = None
    for line in text.lines:
        pair = _PAIR.fullmatch(line.text)
        if line.is_open:
            cut = line.cut()
        elif pair:
            if not found or pair[1] in found[-1]:
                found.append({})
            found[-1][pair[1]] = line, pair[2]
        elif line.text.strip():
            raise line.refuse("not neper's", "expected key=value")
    whole = [one for one in found if _LAST in one or "remote_throughput" in one]
    if len(whole) < len(found) and not cut:
        cut = text.last.cut(f"the file ends before '{_LAST}='")
    return whole, cut


def _test(pairs: Pairs, options: ImportOptions) -> Test:
    is_rr = "num_transactions" in pairs
    timing = (_round_trips if is_rr else _stream)(pairs, options)
    kept = ("latency_", "throughput", "num_", "VERSION")
    facts = {name: value for name, (_, value) in pairs.items() if name.startswith(kept)}
    pattern = Pingpong() if is_rr else Stream(window=1)
    return Test("rr" if is_rr else "stream", pattern, "tcp", [timing], _first(pairs), facts)


def _first(pairs: Pairs) -> SourceLine:
    """The first line of an output."""
    return next(iter(pairs.values()))[0]


def _round_trips(pairs: Pairs, options: ImportOptions) -> ImportedTiming:
    size = options.size_bytes or _both_sizes(pairs)
    line, transactions = pairs["num_transactions"]
    count = line.count(transactions, "num_transactions")
    start, end = (_number(pairs, name) for name in ("time_start", "time_end"))
    flows = max(1, int(_number(pairs, "num_flows")))
    if count < flows or end <= start:
        raise line.refuse("no transactions in no time")
    return ImportedTiming(line, size, max(1, count // flows), round((end - start) * 1e9))


def _both_sizes(pairs: Pairs) -> int:
    request, response = (int(_number(pairs, name)) for name in ("request_size", "response_size"))
    if request != response:
        raise refuse_sizes(pairs["response_size"][0], request, response)
    return request


def _stream(pairs: Pairs, options: ImportOptions) -> ImportedTiming:
    """A stream's rate: `throughput` in its unit, or `remote_throughput` of a writing end, in bits per second."""
    size = options.size_bytes or int(_number(pairs, "buffer_size"))
    name = _LAST if _LAST in pairs else "remote_throughput"
    line, value = pairs[name]
    rate = line.positive(value, name)
    bytes_s = rate * _bytes_per_s(pairs) if name == _LAST else rate / 8
    return streamed(line, max(1, size), bytes_s / 1e6)


def _bytes_per_s(pairs: Pairs) -> float:
    line, unit = pairs.get("throughput_units", (pairs[_LAST][0], ""))
    match = _UNIT.fullmatch(unit)
    if not match:
        raise line.wrong(f"throughput_units is {unit!r}", "expected bit/s, Mbit/s, GB/s and so on")
    prefix, what = match[1] or "", match[2]
    base = 1024 if prefix.endswith("i") else 1000
    return float(base ** _POWER[prefix[0]] if prefix else 1) / (8 if what in ("bit", "b") else 1)


def _number(pairs: Pairs, name: str) -> float:
    if name not in pairs:
        raise _first(pairs).wrong(f"no '{name}=' in this output", "give all that neper printed")
    line, text = pairs[name]
    value = line.value(text, name)
    if not 0 <= value < 2**50:
        raise line.wrong(f"{name} is {value:g}", "expected a size, a count or a time")
    return value
