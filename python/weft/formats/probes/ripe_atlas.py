"""Ping results of RIPE Atlas: a JSON array as its API serves it, or an object a line (`format=txt`).

Format: https://atlas.ripe.net/docs/apis/measurement-result-format/, firmware 4400 and newer.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict

import msgspec

from weft.errors import RequestError
from weft.formats.probes.rows import Rows
from weft.formats.probes.source import Found, Source

SIGN = re.compile(r'\s*\[?\s*\{.*"(prb_id|msm_id)"\s*:', re.DOTALL)
_PACKET_S = 1.0
"""A probe's packets of one result follow each other in a second where no step is stated; a result has one time."""


class _Packet(msgspec.Struct):
    """An answer, or none; `dup` is there where an answer came twice."""

    rtt: float | None = None
    dup: object = None


class _Result(msgspec.Struct):
    """Of any measurement: what `result` holds depends on its type."""

    type: str = "ping"
    prb_id: int | None = None
    dst_name: str | None = None
    dst_addr: str | None = None
    timestamp: float = 0.0
    size: int = 0
    result: msgspec.Raw = msgspec.Raw(b"[]")


def read(source: Source) -> Found:
    """A series for each probe and destination; a probe's name is its number. Other measurements are left out."""
    links: dict[tuple[str, str], Rows] = defaultdict(Rows)
    try:
        for result in _results("".join(source.lines).strip()):
            if result.type == "ping" and result.prb_id is not None:
                dst = result.dst_name or result.dst_addr or "there"
                _add(links[f"probe-{result.prb_id}", dst], result)
    except msgspec.DecodeError as error:
        raise RequestError(f"{source.path}: no results of RIPE Atlas: {error}") from None
    return Found([rows.series(*names) for names, rows in links.items() if rows.unix_s])


def _add(rows: Rows, result: _Result) -> None:
    for index, packet in enumerate(msgspec.json.decode(result.result, type=list[_Packet])):
        if packet.dup is None:
            rtt_s = math.nan if packet.rtt is None else packet.rtt / 1e3
            rows.add(result.timestamp + index * _PACKET_S, rtt_s, result.size)


def _results(text: str) -> list[_Result]:
    if text.startswith("["):
        return msgspec.json.decode(text, type=list[_Result])
    return msgspec.json.Decoder(_Result).decode_lines(text)
