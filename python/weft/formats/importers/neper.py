"""neper: tcp_rr, udp_rr and the streams; its key=value results and the rows of --all-samples."""

from __future__ import annotations

import re
from typing import Any

from weft.formats.importers.imported import Content, Options, Test, Timing, streamed
from weft.formats.importers.neper_samples import HEADER, read_samples
from weft.formats.importers.text import Cut, Text
from weft.plan.pattern import Pingpong, Stream

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

Pairs = dict[str, tuple[int, str]]
"""Keys with the line and the text of their values."""


def read(text: Text, options: Options) -> Content:
    """neper's result or its samples; raises RequestError, naming line and reason."""
    if any(line.startswith(HEADER) for line in text.lines):
        return read_samples(text, options, CONVENTION)
    outputs, cut = _outputs(text)
    return Content("neper", [_test(text, one, options) for one in outputs], CONVENTION, cut=cut)


def _outputs(text: Text) -> tuple[list[Pairs], Cut | None]:
    """The keys of each output; one that was concatenated begins where a key comes again."""
    found: list[Pairs] = []
    for number, line in text.numbered():
        pair = _PAIR.fullmatch(line)
        if number == len(text.lines) and line:
            return [one for one in found if _is_whole(one)], text.cut_at(number)
        if not line.strip():
            continue
        if not pair:
            raise text.refuse(number, f"not neper's: {text.shown(number)}", "expected key=value")
        if not found or pair[1] in found[-1]:
            found.append({})
        found[-1][pair[1]] = number, pair[2]
    whole = [one for one in found if _is_whole(one)]
    cut = (
        text.cut_at(text.last, f"the file ends before '{_LAST}='")
        if len(whole) < len(found)
        else None
    )
    return whole, cut


def _is_whole(pairs: Pairs) -> bool:
    return _LAST in pairs or "remote_throughput" in pairs


def _test(text: Text, pairs: Pairs, options: Options) -> Test:
    line = next(iter(pairs.values()))[0]
    if "num_transactions" in pairs:
        return _round_trips(text, pairs, line, options)
    return _stream(text, pairs, line, options)


def _round_trips(text: Text, pairs: Pairs, line: int, options: Options) -> Test:
    size = options.size_bytes or _both_sizes(text, pairs)
    number, transactions = pairs["num_transactions"]
    count = text.count(number, transactions, "num_transactions")
    start, end = (_number(text, pairs, name) for name in ("time_start", "time_end"))
    flows = max(1, int(_number(text, pairs, "num_flows")))
    if count < flows or end <= start:
        raise text.refuse(number, f"no transactions in no time: {text.shown(number)}")
    timing = Timing(number, size, max(1, count // flows), round((end - start) * 1e9))
    return Test("rr", Pingpong(), transport_of(options), [timing], line, _facts(text, pairs))


def _both_sizes(text: Text, pairs: Pairs) -> int:
    request, response = (
        int(_number(text, pairs, name)) for name in ("request_size", "response_size")
    )
    if request != response:
        raise text.refuse(
            pairs["response_size"][0],
            f"requests of {request} and responses of {response} bytes: half a round trip is no message's time",
            "measure with equal sizes, or say the size to take with --size",
        )
    return request


def _stream(text: Text, pairs: Pairs, line: int, options: Options) -> Test:
    """`throughput` has its unit beside it; the writing end has only `remote_throughput`, in bits a second."""
    size = options.size_bytes or int(_number(text, pairs, "buffer_size"))
    if _LAST in pairs:
        number = pairs[_LAST][0]
        mbytes_s = text.positive(*pairs[_LAST], "throughput") * _bytes_per_s(text, pairs) / 1e6
    else:
        number = pairs["remote_throughput"][0]
        mbytes_s = text.positive(*pairs["remote_throughput"], "remote_throughput") / 8e6
    timings = [streamed(number, max(1, size), mbytes_s)]
    return Test(
        "stream",
        Stream(window=1),
        transport_of(options),
        timings,
        line,
        _facts(text, pairs),
    )


def _bytes_per_s(text: Text, pairs: Pairs) -> float:
    number, unit = pairs.get("throughput_units", (pairs[_LAST][0], ""))
    match = _UNIT.fullmatch(unit)
    if not match:
        raise text.refuse(
            number, f"throughput_units is {unit!r}", "expected bit/s, Mbit/s, GB/s and so on"
        )
    prefix, what = match[1] or "", match[2]
    base = 1024 if prefix.endswith("i") else 1000
    return float(base ** _POWER[prefix[0]] if prefix else 1) / (8 if what in ("bit", "b") else 1)


def _number(text: Text, pairs: Pairs, name: str) -> float:
    if name not in pairs:
        first = next(iter(pairs.values()))[0]
        raise text.refuse(first, f"no '{name}=' in this output", "give all that neper printed")
    value = text.value(*pairs[name], name)
    if not 0 <= value < 2**50:
        raise text.refuse(
            pairs[name][0], f"{name} is {value:g}", "expected a size, a count or a time"
        )
    return value


def transport_of(options: Options) -> str:
    return "tcp" if options.transport == "unknown" else options.transport


def _facts(text: Text, pairs: Pairs) -> dict[str, Any]:
    kept = [
        name for name in pairs if name.startswith(("latency_", "throughput", "num_", "VERSION"))
    ]
    return {name: pairs[name][1] for name in kept}
