"""iperf3's JSON, whole (-J) or as a stream of events (--json-stream)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from weft.base.errors import RequestError
from weft.plan.pattern import Stream
from weft.understand.formats.importers.imported import (
    Content,
    ImportedTiming,
    ImportOptions,
    Test,
    counted,
)
from weft.understand.formats.importers.passed_over import SkippedLines, Warned
from weft.understand.formats.importers.text import Cut, SourceLine, Text

SIGN = re.compile(
    r'"(test_start|sum_sent|connecting_to)"|"event"\s*:\s*"(start|interval|end)"'
    r"|^Connecting to host \S+, port",
    re.MULTILINE,
)

_BEGIN = re.compile(r"^[ \t]*+\{|(?<=\})\s*+\{", re.MULTILINE)
_AGAIN = "_again"
_ERROR = re.compile(r"iperf3: (error|interrupt)")
_NAN = re.compile(r"(?<=[:\s])-?nan\b")

_CONVENTION = (
    "bytes that arrived over the receiver's time, so what stayed in the sender's buffer does not "
    "count; parallel streams together; messages are blocks of iperf3's -l, as many as the bytes "
    "make"
)


@dataclass(frozen=True)
class _Document:
    """One test as iperf3 prints it, with its first line."""

    line: SourceLine
    value: dict[str, Any]

    def get(self, *keys: str) -> Any:
        """The value at a path of keys; None if there is none."""
        value: Any = self.value
        for key in keys:
            value = value.get(key) if isinstance(value, dict) else None
        return value

    def number(self, *keys: str) -> float | None:
        value = self.get(*keys)
        return float(value) if isinstance(value, int | float) and abs(value) < 2**62 else None

    def lacks(self, what: str) -> RequestError:
        """The error for a document that lacks something."""
        return self.line.wrong(what, "give the file as iperf3 -J wrote it")


def read(text: Text, options: ImportOptions) -> Content:
    """iperf3's documents, each a launch; raises RequestError, naming line and reason."""
    foreign = SkippedLines()
    documents, cut = _documents(text, foreign)
    tests = [test for document in documents for test in _tests(document)]
    warnings = [
        warning for document in documents for warning in (*_losses(document), *_twice(document))
    ]
    warnings += [*_errors(foreign), *foreign.warnings("iperf3")]
    return Content(
        "iperf3", tests, _CONVENTION, "mean", cut=cut, warnings=list(dict.fromkeys(warnings))
    )


def _documents(text: Text, foreign: SkippedLines) -> tuple[list[_Document], Cut | None]:
    """All documents of a file: iperf3 may write several in sequence, with messages of 2>&1 in between."""
    plain = _NAN.sub("null", text.text)
    if not _BEGIN.search(plain):
        hint = "run iperf3 with -J (--json), or with --json-stream"
        raise text.lines[0].refuse("not JSON", hint)
    found: list[_Document] = []
    decoder, at, number = json.JSONDecoder(object_pairs_hook=_keeping_both), 0, 0
    while begin := _BEGIN.search(plain, at):
        number += plain.count("\n", at, begin.end() - 1)
        _pass_over(plain, at, begin.end() - 1, text, number, foreign)
        line = text.lines[number]
        try:
            value, end = decoder.raw_decode(plain, begin.end() - 1)
        except json.JSONDecodeError as error:
            return _whole(found, text, error.lineno, error.msg)
        except RecursionError:
            return _whole(found, text, 1, "too deeply nested")
        found.append(_Document(line, value))
        number += plain.count("\n", begin.end() - 1, end)
        at = end
    _pass_over(plain, at, len(plain), text, number + plain.count("\n", at), foreign)
    return _joined(text, found)


def _pass_over(plain: str, at: int, end: int, text: Text, last: int, foreign: SkippedLines) -> None:
    """Records the skipped lines between two positions, of which the second is on line `last` (from 0)."""
    between = plain[at:end].split("\n")
    for number, said in enumerate(between, last - len(between) + 1):
        if said.strip():
            foreign.add(replace(text.lines[number], text=said))


def _keeping_both(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object that keeps both values of a duplicate key, the second under KEY_again: iperf 3.7 to 3.10 give the sums
    of both directions the same name."""
    found: dict[str, Any] = {}
    for key, value in pairs:
        found[f"{key}{_AGAIN}" if key in found else key] = value
    return found


def _twice(document: _Document) -> Iterator[Warned]:
    """A warning about duplicate keys, of which only the first was used."""
    end = document.get("end") or {}
    named = sorted(key.removesuffix(_AGAIN) for key in end if key.endswith(_AGAIN))
    others = [key for key in named if key not in ("sum_sent", "sum_received")]
    if others:
        yield (
            "keys-twice",
            f"{', '.join(others)} stands twice in the JSON: the first was taken",
            "a newer iperf3 names both",
        )


def _errors(foreign: SkippedLines) -> Iterator[Warned]:
    """Warnings for errors that iperf3 prints outside its JSON."""
    for line in [line for line in foreign.lines if _ERROR.match(line.text)]:
        foreign.lines.remove(line)
        said = line.text.strip()
        yield "iperf3-says", f"line {line.number}: {said[:120]}", "the test may have ended early"


def _whole(
    found: list[_Document], text: Text, number: int, reason: str
) -> tuple[list[_Document], Cut]:
    """The documents before invalid JSON, with a cut if it is at the end of the file; else raises RequestError."""
    if number < text.last.number:
        hint = "give the file as iperf3 -J wrote it"
        raise text.lines[number - 1].refuse(f"not JSON, {reason}", hint)
    return _joined(text, found)[0], text.last.cut("the JSON ends before its last brace")


def _joined(text: Text, found: list[_Document]) -> tuple[list[_Document], Cut | None]:
    """The documents; events of --json-stream are joined from each start to its end. Raises RequestError."""
    if not found or "event" not in found[0].value:
        return found, None
    events, found = found, []
    begun: _Document | None = None
    for event in events:
        kind, data = event.get("event"), event.get("data")
        if kind == "start":
            begun = _Document(event.line, {"start": data})
        elif kind == "error":
            raise event.line.wrong(f"iperf3 failed: {data!r}"[:200], "measure again")
        elif begun is None:
            raise event.line.wrong(f"an event before the start: {kind!r}", "give the whole stream")
        elif kind == "end":
            found.append(_Document(begun.line, begun.value | {"end": data}))
            begun = None
    return found, text.last.cut("the stream ends without its 'end' event") if begun else None


def _tests(document: _Document) -> Iterator[Test]:
    """The test of a document; two with --bidir, one for each direction. Raises RequestError."""
    error = document.get("error")
    if error is not None:
        raise document.line.wrong(f"iperf3 failed: {str(error)[:120]!r}", "measure again")
    if not isinstance(document.get("start", "test_start"), dict):
        raise document.lacks("no start.test_start")
    reverse = bool(document.get("start", "test_start", "reverse"))
    yield _test(document, "sum_received", reverse)
    for other in ("sum_received_bidir_reverse", f"sum_received{_AGAIN}"):
        if document.get("end", other) is not None:
            yield _test(document, other, not reverse)


def _test(document: _Document, received: str, backwards: bool) -> Test:
    start = "start", "test_start"
    protocol = str(document.get(*start, "protocol") or "tcp").lower()
    block = document.number(*start, "blksize")
    if not block or block < 1:
        raise document.lacks("no start.test_start.blksize")
    both = bool(document.get(*start, "bidir") or document.get("end", f"sum_received{_AGAIN}"))
    direction = "server to client" if backwards else "client to server"
    return Test(
        name=f"{protocol}-{direction.replace(' ', '-')}",
        pattern=Stream(window=1),
        transport=protocol,
        timings=[_received(document, received, round(block))],
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


def _received(document: _Document, received: str, block_bytes: int) -> ImportedTiming:
    """The timing at the receiver. For UDP, old versions give only the sum sent, with the share lost. Raises
    RequestError."""
    total, seconds = (document.number("end", received, key) for key in ("bytes", "seconds"))
    if not total:
        keys = ("bytes", "lost_percent", "seconds")
        sent, lost, seconds = (document.number("end", "sum", key) for key in keys)
        total = sent * (1 - lost / 100) if sent and lost is not None else None
    if not total or not seconds or total < 0 or seconds < 0:
        raise document.line.wrong(
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
