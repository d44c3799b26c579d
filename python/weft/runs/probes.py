"""Probes of a watch as a table, and events beside them."""

from __future__ import annotations

import pyarrow as pa
from msgspec import Struct

SCHEMA = pa.schema(
    [
        ("time_us", pa.int64()),
        ("link", pa.int16()),
        ("kind", pa.int8()),
        ("size_bytes", pa.int32()),
        ("rtt_ns", pa.int64()),
    ]
)
"""One row a probe: start (Unix time in UTC), index of its link in run.json, index of its kind in `KINDS`, payload,
and round trip (null if unanswered in time). One end probes a link, one probe at a time, so link and time identify a
probe."""

DAY_SCHEMA = SCHEMA.append(pa.field("stands", pa.int32()))
"""The schema of a day's file: `stands` is the number of probes of its link, kind and size that a row represents, itself
and the thinned ones after it; 1 if none were thinned."""

AGENT_KINDS = ("icmp", "tcp-connect", "tcp-echo", "udp-echo")
"""Kinds that agents send. One-way delays, by two clocks instead of a round trip, are only imported."""
KINDS = (*AGENT_KINDS, "one-way")


def trips(kind: int) -> int:
    """The number of times a probe of this kind crosses the link within its `rtt_ns`."""
    return 1 if KINDS[kind] == "one-way" else 2


class HostEvent(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An event besides probes: `what` is "agent-start", "agent-stop", "clock-step", "suspend", "address-change", ...;
    of a site, possibly of one link; `seconds` is its duration or shift."""

    time_s: float
    what: str
    site: str = ""
    link: int | None = None
    seconds: float | None = None
    text: str = ""
