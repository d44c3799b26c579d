"""Ping results of RIPE Atlas: a JSON array as its API returns it, or one object a line (`format=txt`).

Format: https://atlas.ripe.net/docs/apis/measurement-result-format/, firmware 4400 and newer.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict

import msgspec

from weft.base.errors import RequestError
from weft.links.formats.rows import Rows
from weft.links.formats.source import ProbeFile, ReadSeries

SIGN = re.compile(r'\A\s*+\[?+\s*+\{.*?"(prb_id|msm_id)"\s*:', re.DOTALL)
_PACKET_S = 1.0
"""Default interval between the packets of one result, which has a single timestamp."""


class _Packet(msgspec.Struct):
    """An answer, or a time-out (`x`); `dup` is set for a duplicate, `error` if the packet could not be sent."""

    x: object = None
    rtt: float | None = None
    dup: object = None
    error: str | None = None


class _Result(msgspec.Struct):
    """The result of a measurement; the contents of `result` depend on its type."""

    type: str = "ping"
    prb_id: int | None = None
    dst_name: str | None = None
    dst_addr: str | None = None
    timestamp: float = 0.0
    size: int = 0
    result: msgspec.Raw = msgspec.Raw(b"[]")


def read(source: ProbeFile) -> ReadSeries:
    """Read a series for each probe and destination; a probe is named by its number. Other measurements are skipped, and
    packets that could not be sent count as not measured. Raises RequestError."""
    links: dict[tuple[str, str], Rows] = defaultdict(Rows)
    left_out: Counter[str] = Counter()
    try:
        for result in _results("".join(source.lines).strip()):
            if result.type == "ping" and result.prb_id is not None:
                dst = result.dst_name or result.dst_addr or "there"
                _add(links[f"probe-{result.prb_id}", dst], result, left_out)
            else:
                left_out["results of other measurements, left out"] += 1
    except msgspec.DecodeError as error:
        raise RequestError(f"{source.path}: no results of RIPE Atlas: {error}") from None
    series = [rows.series(*names) for names, rows in links.items() if rows.unix_s]
    return ReadSeries(series, [f"{what}: {count}" for what, count in left_out.items()])


def _add(rows: Rows, result: _Result, left_out: Counter[str]) -> None:
    packets = msgspec.json.decode(result.result, type=list[_Packet])
    if packets and all(one.error is not None for one in packets):
        left_out[f"rounds not measured, as nothing was sent ({packets[0].error})"] += 1
        return
    for index, packet in enumerate(packets):
        if said := _no_probe(packet):
            left_out[said] += 1
        else:
            rtt_s = math.nan if packet.rtt is None else packet.rtt / 1e3
            rows.add(result.timestamp + index * _PACKET_S, rtt_s, result.size)


def _no_probe(packet: _Packet) -> str:
    """Why a packet is neither an answered nor a lost probe; "" if it is one."""
    if packet.error is not None:
        return f"packets never sent ({packet.error})"
    if packet.dup is not None:
        return "answers that came twice, each counted once"
    if packet.rtt is None and packet.x is None:
        return "answers that came too late, to probes that count as lost"
    return ""


def _results(text: str) -> list[_Result]:
    if text.startswith("["):
        return msgspec.json.decode(text, type=list[_Result])
    return msgspec.json.Decoder(_Result).decode_lines(text)
