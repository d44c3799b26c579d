"""Probes of a watch as a table, and what happens beside them."""

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
"""A row is a probe: when it began (Unix time in UTC), the position of its link in run.json, the position of its kind in
`KINDS`, its payload, and its round trip, null where nothing came back in time. A link is probed by one end, one probe
at a time, so link and time tell probes apart."""

DAY_SCHEMA = SCHEMA.append(pa.field("stands", pa.int32()))
"""The same in the file of a day: `stands` says for how many probes of its link, kind and size a row stands, itself and
those behind it that were thinned; 1 where none were."""

AGENT_KINDS = ("icmp", "tcp-connect", "tcp-echo", "udp-echo")
"""What agents send; the last, of importers alone, is a delay by two clocks in place of a round trip."""
KINDS = (*AGENT_KINDS, "one-way")


def trips(kind: int) -> int:
    """How often a probe of this kind crosses the link within its `rtt_ns`."""
    return 1 if KINDS[kind] == "one-way" else 2


class HostEvent(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Something besides probes: `what` is "agent-start", "agent-stop", "clock-step", "suspend", "address-change", ...;
    of a site, perhaps of one link; `seconds` says by or for how long."""

    time_s: float
    what: str
    site: str = ""
    link: int | None = None
    seconds: float | None = None
    text: str = ""
