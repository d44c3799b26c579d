"""Ping results of RIPE Atlas: a JSON array as its API serves it, or an object a line (`format=txt`).

Format: https://atlas.ripe.net/docs/apis/measurement-result-format/, firmware 4400 and newer.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterable
from typing import Any

import msgspec

from weft.diagnosis.links.series import Series
from weft.errors import RequestError
from weft.formats.probes.rows import Rows

SIGN = re.compile(r'\s*\[?\s*\{.*"(prb_id|msm_id)"\s*:', re.DOTALL)
_PACKET_S = 1.0
"""A probe's packets of one result follow each other in a second where no step is stated; a result has one time."""


def read(lines: Iterable[str], src: str) -> list[Series]:
    """A series for each probe and destination; a probe's name is its number. Other measurements are left out."""
    links: dict[tuple[str, str], Rows] = defaultdict(Rows)
    for result in _results(list(lines)):
        if result.get("type", "ping") != "ping" or "prb_id" not in result:
            continue
        dst = str(result.get("dst_name") or result.get("dst_addr") or result.get("name", "there"))
        rows = links[f"probe-{result['prb_id']}", dst]
        for index, packet in enumerate(result.get("result") or []):
            rtt_s = float(packet["rtt"]) / 1e3 if "rtt" in packet else math.nan
            if "dup" not in packet:
                at = float(result["timestamp"]) + index * _PACKET_S
                rows.add(at, rtt_s, int(result.get("size", 0)))
    return [rows.series(*names) for names, rows in links.items() if rows.unix_s]


def _results(lines: list[str]) -> list[dict[str, Any]]:
    text = "".join(lines).strip()
    try:
        if text.startswith("["):
            return msgspec.json.decode(text, type=list[dict[str, Any]])
        return msgspec.json.Decoder(dict[str, Any]).decode_lines(text)
    except msgspec.DecodeError as error:
        raise RequestError(f"no results of RIPE Atlas: {error}") from None
