"""A short run before tuning: the delay and the rate of the path, and its limit according to the kernel."""

from __future__ import annotations

import math

from msgspec import Struct

from weft.base.quantity import format_bytes, format_mbps, format_us
from weft.runs.folder import RunFolder
from weft.understand.advice.advise import recommendations
from weft.understand.advice.facts import interface_of
from weft.understand.curve.points import points
from weft.understand.explain.explain import explain

PLAN = """
name = "first-look"
title = "A pair before it is tuned: round trip, rate, and what limits it"
launches = 3

[[steps]]
name = "round-trip"
pattern = "pingpong"
transport = "tcp"
sizes = ["1 B"]
stop = { rule = "time", trial = "10 ms", trials = 5 }

[[steps]]
name = "stream"
pattern = "stream"
window = 64
transport = "tcp"
sizes = ["64 KiB"]
stop = { rule = "time", trial = "250 ms", trials = 4, at_least = 32, at_most = "3 s" }
"""


PATHS_IN_BATCH = 8
"""A batch of a race sends this many bandwidth-delay products before it waits for its acknowledgement."""
STREAM_MESSAGE_BYTES = 64 * 1024


class InitialDiagnosis(Struct, frozen=True):
    """The measurements: `limits` has a sentence for each cause that the evidence names, the strongest first; `advised`
    the suggested values by knob, and `because` the reasons. `interfaces` are those with the measured addresses, by
    node."""

    round_trip_us: float
    rate_mbps: float
    limits: dict[str, str] = {}
    advised: dict[str, str] = {}
    because: dict[str, str] = {}
    interfaces: dict[str, str] = {}

    @property
    def bandwidth_delay_bytes(self) -> float:
        """The data in flight on a full path: rate times round-trip time."""
        return self.rate_mbps * self.round_trip_us / 8

    @property
    def stream_messages(self) -> int:
        """Messages in a batch of a race, enough to take long compared with the path's delay, which each batch incurs
        once."""
        return max(1, math.ceil(PATHS_IN_BATCH * self.bandwidth_delay_bytes / STREAM_MESSAGE_BYTES))

    @property
    def text(self) -> str:
        """The result in a sentence."""
        return (
            f"{format_mbps(self.rate_mbps)}, round trip {format_us(self.round_trip_us)}: "
            f"bandwidth-delay product {format_bytes(self.bandwidth_delay_bytes)}"
        )


def read_first_look(run: RunFolder) -> InitialDiagnosis:
    """Derive the first look from the samples and the evidence of its run."""
    rates = {point.pattern: point.throughput_mbps.median for point in points(run)}
    explained = explain(run)
    advised = recommendations(run, explained, [])
    limits: dict[str, str] = {}
    for one in explained:
        if one.kind == "limit" and one.cause is not None and one.step == "stream":
            limits.setdefault(one.cause, one.text.removeprefix("stream: "))
    return InitialDiagnosis(
        2 * 8 / rates["pingpong"],
        rates["stream"],
        limits,
        {one.knob: one.proposed for one in reversed(advised)},
        {one.knob: "; ".join(one.evidence) for one in reversed(advised)},
        {str(node["name"]): interface_of(run, at) for at, node in enumerate(run.meta.nodes)},
    )
