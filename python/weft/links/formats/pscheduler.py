"""Runs of perfSONAR's pScheduler: tests rtt, latency and latencybg, as passed to its archivers.

A record has `test` (type, spec), `schedule` (start), `participants` and `result`. Archivers wrap it in their own
`result`; the API of a run has `start-time` and `result-merged`. Accepts an object, an array, or one object a line.
Format: https://github.com/perfsonar/pscheduler, validate.py of each test (result schemas 1 to 2).
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import msgspec

from weft.base.errors import RequestError
from weft.links.formats import owamp
from weft.links.formats.rows import ICMP, ICMP_HEADER_BYTES, ONE_WAY, UDP_ECHO, Rows
from weft.links.formats.source import ProbeFile, ProbeOptions, ReadSeries

SIGN = re.compile(r"\A\s*+\[?+\s*+\{")
_TYPES = ("rtt", "latency", "latencybg")
_MOST_PACKETS = 10_000_000
_HINT = (
    "give records with test, schedule and result, as an archiver of pScheduler writes them; a result alone "
    "has no time and no hosts, but --start, --src and --dst can say them"
)


class _Roundtrip(msgspec.Struct):
    seq: int | None = None
    rtt: timedelta | None = None
    length: int = 0


class _Packet(msgspec.Struct, rename="kebab"):
    seq_num: int
    src_ts: int
    dst_ts: int
    src_clock_sync: bool = True
    dst_clock_sync: bool = True


class _Result(msgspec.Struct, rename="kebab"):
    """The result of rtt (`roundtrips`, `sent`) or latency (the other fields; the histogram is in units of
    `bucket_width`)."""

    succeeded: bool
    roundtrips: list[_Roundtrip] | None = None
    sent: int = 0
    packets_sent: int = 0
    packets_lost: int = 0
    histogram_latency: dict[str, int] | None = None
    raw_packets: list[_Packet] | None = None


class _Spec(msgspec.Struct, rename="kebab"):
    source: str | None = None
    dest: str | None = None
    protocol: str | None = None
    length: int | None = None
    interval: timedelta | None = None
    packet_interval: float = 0.1
    packet_padding: int = 0
    bucket_width: float = 0.001


class _Test(msgspec.Struct):
    type: str = ""
    spec: _Spec = msgspec.field(default_factory=_Spec)


class _Schedule(msgspec.Struct):
    start: datetime | None = None


class _Record(msgspec.Struct, rename="kebab"):
    test: _Test | None = None
    schedule: _Schedule = msgspec.field(default_factory=_Schedule)
    start_time: datetime | None = None
    participants: list[str | None] = msgspec.field(default_factory=list)
    result: msgspec.Raw = msgspec.Raw(b"null")
    result_merged: msgspec.Raw = msgspec.Raw(b"null")


class _Run:
    """A record with its result, and the link that it measured."""

    def __init__(self, record: _Record, result: _Result, options: ProbeOptions) -> None:
        spec = record.test.spec if record.test else _Spec()
        hosts = [one or "" for one in record.participants[:2]] + ["", ""]
        self.spec, self.result = spec, result
        self.src = options.src or spec.source or hosts[0] or "here"
        self.dst = options.dst or spec.dest or hosts[1] or "there"
        start = record.schedule.start or record.start_time
        self.start_s = _unix_s(start) if start else options.start_s

    def begin_s(self) -> float:
        """Unix time of the first packet; raises ValueError if unknown."""
        if self.start_s is None:
            raise ValueError("a result without the time of its start")
        return self.start_s


def read(source: ProbeFile) -> ReadSeries:
    """Read a series for each source, destination and kind of test; failed runs count as not measured. Raises
    RequestError for a malformed record."""
    links: dict[tuple[str, str, int], Rows] = defaultdict(Rows)
    notes: list[str] = []
    failed = 0
    for where, raw in _documents(source):
        try:
            record = _record(raw)
            run = _Run(record, _result(record, raw), source.options)
            failed += not run.result.succeeded
            if run.result.succeeded:
                notes += _add(run, links)
        except (msgspec.DecodeError, ValueError, OverflowError) as error:
            raise RequestError(f"{where}: {error}", _HINT) from None
    if failed:
        notes.append(f"{failed} runs did not succeed, and count as not measured")
    found = [rows.series(src, dst) for (src, dst, _), rows in links.items() if rows.unix_s]
    return ReadSeries(found, list(dict.fromkeys(notes)))


def _documents(source: ProbeFile) -> Iterator[tuple[str, msgspec.Raw]]:
    """Each record as JSON, with its location for messages; raises RequestError for invalid JSON."""
    text = "".join(source.lines).strip()
    try:
        if text[0] == "[":
            array = msgspec.json.decode(text, type=list[msgspec.Raw])
        else:
            array = [msgspec.json.decode(text, type=msgspec.Raw)]
    except msgspec.DecodeError as error:
        if "\n" not in text or text[0] == "[":
            raise RequestError(f"{source.path}: not whole JSON: {error}") from None
        for number, line in enumerate(text.splitlines(), 1):
            if line.strip():
                yield f"{source.path}:{number}", msgspec.Raw(line.encode())
        return
    for number, one in enumerate(array, 1):
        yield f"{source.path}: result {number}" if len(array) > 1 else str(source.path), one


def _record(raw: msgspec.Raw) -> _Record:
    """Decode a record, unwrapped if it is what an archiver received."""
    record = msgspec.json.decode(raw, type=_Record)
    if record.test is None and bytes(record.result) != b"null":
        inner = msgspec.json.decode(record.result, type=_Record)
        if inner.test is not None:
            return inner
    return record


def _result(record: _Record, raw: msgspec.Raw) -> _Result:
    if record.test and record.test.type not in _TYPES:
        raise ValueError(
            f"a test of type {record.test.type[:40]!r}: probes are in {', '.join(_TYPES)}"
        )
    for one in (record.result, record.result_merged):
        if bytes(one) != b"null":
            return msgspec.json.decode(one, type=_Result)
    return msgspec.json.decode(raw, type=_Result)


def _add(run: _Run, links: dict[tuple[str, str, int], Rows]) -> list[str]:
    result = run.result
    if result.roundtrips is not None:
        kind = UDP_ECHO if run.spec.protocol == "twamp" else ICMP
        _add_roundtrips(run, result.roundtrips, _rows(links, run, kind))
        return []
    if result.raw_packets is not None:
        return _add_packets(run, result.raw_packets, _rows(links, run, ONE_WAY))
    if result.histogram_latency is not None:
        _add_histogram(run, result.histogram_latency, _rows(links, run, ONE_WAY))
        return []
    raise ValueError("no roundtrips, raw-packets or histogram-latency")


def _rows(links: dict[tuple[str, str, int], Rows], run: _Run, kind: int) -> Rows:
    rows = links[run.src, run.dst, kind]
    rows.kind = kind
    return rows


def _add_roundtrips(run: _Run, trips: list[_Roundtrip], rows: Rows) -> None:
    """Add round trips. Echoes are numbered from 1; numbers without an answer, up to the last one sent, are losses."""
    interval_s = run.spec.interval.total_seconds() if run.spec.interval else 1.0
    answers: dict[int, _Roundtrip] = {}
    for position, trip in enumerate(trips, 1):
        if trip.rtt is not None:
            if trip.rtt < timedelta():
                raise ValueError(f"a round trip of {trip.rtt.total_seconds()} s")
            answers.setdefault(trip.seq if trip.seq is not None else position, trip)
    count = max(run.result.sent, len(trips), *answers, 0)
    _check_count(count)
    for number in range(1, count + 1):
        answer = answers.get(number)
        rtt_s = answer.rtt.total_seconds() if answer and answer.rtt is not None else math.nan
        size = max((answer.length if answer else 0) - ICMP_HEADER_BYTES, 0)
        rows.add(run.begin_s() + (number - 1) * interval_s, rtt_s, size or run.spec.length or 0)


def _add_packets(run: _Run, packets: list[_Packet], rows: Rows) -> list[str]:
    seen, unsynchronised = set(), 0
    for one in packets:
        if (one.seq_num, one.src_ts) in seen:
            continue
        seen.add((one.seq_num, one.src_ts))
        delay_s = owamp.delay_s(one.src_ts, one.dst_ts)
        _check_delay(delay_s)
        unsynchronised += not (one.src_clock_sync and one.dst_clock_sync)
        rows.add(owamp.unix_s(one.src_ts), delay_s, owamp.TEST_BYTES + run.spec.packet_padding)
    return owamp.clock_notes(unsynchronised, len(seen))


def _add_histogram(run: _Run, histogram: dict[str, int], rows: Rows) -> None:
    delays = []
    for key, count in histogram.items():
        _check_count(count)
        delay_s = float(key) * run.spec.bucket_width
        _check_delay(delay_s)
        delays += [delay_s] * count
    _check_count(run.result.packets_lost)
    size = owamp.TEST_BYTES + run.spec.packet_padding
    interval_s = run.spec.packet_interval
    rows.add_round(run.begin_s(), interval_s, sorted(delays), run.result.packets_lost, size)


def _check_delay(delay_s: float) -> None:
    if delay_s < 0:
        raise ValueError(f"a one-way delay of {delay_s * 1e3:.6g} ms: {owamp.CLOCKS_HINT}")


def _check_count(count: int) -> None:
    if not 0 <= count <= _MOST_PACKETS:
        raise ValueError(f"{count} packets in one run")


def _unix_s(moment: datetime) -> float:
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
