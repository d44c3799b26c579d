"""iperf3's JSON, whole (-J) or as a stream of events (--json-stream)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from weft.formats.importers.imported import Content, Options, Test, Timing, counted
from weft.formats.importers.text import Cut, Text
from weft.plan.pattern import Stream

SIGN = re.compile(
    r'"(test_start|sum_sent|connecting_to)"|"event"\s*:\s*"(start|interval|end)"'
    r"|^Connecting to host \S+, port",
    re.MULTILINE,
)

_NAN = re.compile(r"(?<=[:\s])-?nan\b")

_CONVENTION = (
    "bytes that arrived over the receiver's time, so what stayed in the sender's buffer does not "
    "count; parallel streams together; messages are blocks of iperf3's -l, as many as the bytes "
    "make"
)


@dataclass(frozen=True)
class _Document:
    """One test as iperf3 prints it, and the line where it begins."""

    line: int
    value: dict[str, Any]

    def get(self, *keys: str) -> Any:
        """What stands there, None where nothing does."""
        value: Any = self.value
        for key in keys:
            value = value.get(key) if isinstance(value, dict) else None
        return value

    def number(self, *keys: str) -> float | None:
        value = self.get(*keys)
        return float(value) if isinstance(value, int | float) and abs(value) < 2**62 else None


def read(text: Text, options: Options) -> Content:
    """iperf3's documents, each a launch; raises RequestError, naming line and reason."""
    documents, cut = _documents(text)
    tests = [test for document in documents for test in _tests(text, document, options)]
    warnings = [warning for document in documents for warning in _losses(document)]
    return Content(
        "iperf3", tests, _CONVENTION, "mean", cut=cut, warnings=list(dict.fromkeys(warnings))
    )


def _documents(text: Text) -> tuple[list[_Document], Cut | None]:
    """All documents of a file: iperf3 may write several one after the other."""
    plain = _NAN.sub("null", text.text)
    if not plain.lstrip().startswith("{"):
        raise text.refuse(
            1, f"not JSON: {text.shown(1)}", "run iperf3 with -J (--json), or with --json-stream"
        )
    found: list[_Document] = []
    decoder, at = json.JSONDecoder(), 0
    while plain[at:].strip():
        at += len(plain[at:]) - len(plain[at:].lstrip())
        line = plain.count("\n", 0, at) + 1
        try:
            value, at = decoder.raw_decode(plain, at)
        except (json.JSONDecodeError, RecursionError) as error:
            return _whole(found, text, error)
        if not isinstance(value, dict):
            raise text.refuse(line, f"not iperf3's: {text.shown(line)}", 'expected {"start": ...}')
        found.append(_Document(line, value))
    return _joined(text, found) if "event" in found[0].value else (found, None)


def _whole(
    found: list[_Document], text: Text, error: json.JSONDecodeError | RecursionError
) -> tuple[list[_Document], Cut]:
    """The documents before the one that is no JSON: a cut if that is at the end of the file, else a refusal."""
    line = error.lineno if isinstance(error, json.JSONDecodeError) else 1
    reason = error.msg if isinstance(error, json.JSONDecodeError) else "too deeply nested"
    if line < text.last:
        raise text.refuse(
            line, f"not JSON, {reason}: {text.shown(line)}", "give the file as iperf3 -J wrote it"
        )
    documents = _joined(text, found)[0] if found and "event" in found[0].value else found
    return documents, text.cut_at(text.last, "the JSON ends before its last brace")


def _joined(text: Text, events: list[_Document]) -> tuple[list[_Document], Cut | None]:
    """Documents out of the events of --json-stream: from each start to its end."""
    found: list[_Document] = []
    begun: dict[str, Any] | None = None
    for event in events:
        kind, data = event.get("event"), event.get("data")
        if kind == "start":
            begun = {"line": event.line, "start": data, "intervals": []}
        elif kind == "error":
            raise text.refuse(event.line, f"iperf3 failed: {data!r}"[:200], "measure again")
        elif begun is None:
            raise text.refuse(
                event.line, f"an event before the start: {kind!r}", "give the whole stream"
            )
        elif kind == "interval":
            begun["intervals"].append(data)
        elif kind == "end":
            found.append(_Document(begun["line"], begun | {"end": data}))
            begun = None
    return found, text.cut_at(
        text.last, "the stream ends without its 'end' event"
    ) if begun else None


def _tests(text: Text, document: _Document, options: Options) -> Iterator[Test]:
    """A test; with --bidir two, a direction each."""
    error = document.get("error")
    if error is not None:
        raise text.refuse(document.line, f"iperf3 failed: {str(error)[:120]!r}", "measure again")
    if not isinstance(document.get("start", "test_start"), dict):
        raise text.refuse(
            document.line, "no start.test_start", "give the file as iperf3 -J wrote it"
        )
    reverse = bool(document.get("start", "test_start", "reverse"))
    yield _test(text, document, "sum_received", reverse, options)
    if document.get("end", "sum_received_bidir_reverse") is not None:
        yield _test(text, document, "sum_received_bidir_reverse", not reverse, options)


def _test(
    text: Text, document: _Document, received: str, backwards: bool, options: Options
) -> Test:
    start = "start", "test_start"
    protocol = str(document.get(*start, "protocol") or "tcp").lower()
    block = document.number(*start, "blksize")
    if not block or block < 1:
        raise text.refuse(
            document.line, "no start.test_start.blksize", "give the file as iperf3 -J wrote it"
        )
    timing = _received(text, document, received, round(block))
    both = bool(document.get(*start, "bidir"))
    direction = "server to client" if backwards else "client to server"
    return Test(
        name=f"{protocol}-{direction.replace(' ', '-')}",
        pattern=Stream(window=1),
        transport=protocol if options.transport == "unknown" else options.transport,
        timings=[timing],
        line=document.line,
        facts={
            "direction": direction + (", the other one busy too" if both else ""),
            "version": document.get("start", "version"),
            "streams": document.get(*start, "num_streams"),
            "retransmits": document.get("end", "sum_sent", "retransmits"),
            "sent_mbps": (document.number("end", "sum_sent", "bits_per_second") or 0) / 1e6,
            **_udp_facts(document),
        },
    )


def _received(text: Text, document: _Document, received: str, block_bytes: int) -> Timing:
    """What the receiver got. Old versions have for UDP a single sum of what was sent, with the share that was lost."""
    total = document.number("end", received, "bytes")
    seconds = document.number("end", received, "seconds")
    if not total:
        sent, lost = (
            document.number("end", "sum", "bytes"),
            document.number("end", "sum", "lost_percent"),
        )
        seconds = document.number("end", "sum", "seconds")
        total = sent * (1 - lost / 100) if sent and lost is not None else None
    if not total or not seconds or total < 0 or seconds < 0:
        raise text.refuse(
            document.line,
            f"no end.{received} with bytes and seconds: nothing arrived, or the test was interrupted",
            "measure again; what the sender handed to its kernel is no throughput",
        )
    return counted(document.line, block_bytes, total, seconds * 1e9)


def _udp_facts(document: _Document) -> dict[str, Any]:
    if document.get("start", "test_start", "protocol") != "UDP":
        return {}
    names = ("packets", "lost_packets", "lost_percent", "jitter_ms", "out_of_order")
    return {name: document.get("end", "sum", name) for name in names}


def _losses(document: _Document) -> Iterator[tuple[str, str, str]]:
    lost, packets = (document.number("end", "sum", name) for name in ("lost_packets", "packets"))
    if lost and packets:
        yield (
            "packets-lost",
            f"{lost:.0f} of {packets:.0f} datagrams were lost ({lost / packets:.2%}); rates are of what arrived",
            "lower iperf3's -b until nothing is lost",
        )
