"""A short run before anything is tuned: how far and how fast the path is, and what the kernel says limits it."""

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
"""So many bandwidth-delay products are sent before a batch of a race waits for its acknowledgement."""
STREAM_MESSAGE_BYTES = 64 * 1024


class FirstLook(Struct, frozen=True):
    """What was measured: `limits` has a sentence for each cause that the evidence names, the strongest first; `advised`
    the values that it suggests, by knob, and `because` why. `interfaces` have the measured addresses, by node."""

    round_trip_us: float
    rate_mbps: float
    limits: dict[str, str] = {}
    advised: dict[str, str] = {}
    because: dict[str, str] = {}
    interfaces: dict[str, str] = {}

    @property
    def bandwidth_delay_bytes(self) -> float:
        """What is on its way when the path is full: rate times round trip."""
        return self.rate_mbps * self.round_trip_us / 8

    @property
    def stream_messages(self) -> int:
        """Messages of a batch of a race that are long beside the path's delay, which each batch takes once."""
        return max(1, math.ceil(PATHS_IN_BATCH * self.bandwidth_delay_bytes / STREAM_MESSAGE_BYTES))

    @property
    def text(self) -> str:
        """In a sentence."""
        return (
            f"{format_mbps(self.rate_mbps)}, round trip {format_us(self.round_trip_us)}: "
            f"bandwidth-delay product {format_bytes(self.bandwidth_delay_bytes)}"
        )


def read_first_look(run: RunFolder) -> FirstLook:
    """What the samples and the evidence of a first look say."""
    rates = {point.pattern: point.throughput_mbps.median for point in points(run)}
    explained = explain(run)
    advised = recommendations(run, explained, [])
    limits: dict[str, str] = {}
    for one in explained:
        if one.kind == "limit" and one.cause is not None and one.step == "stream":
            limits.setdefault(one.cause, one.text.removeprefix("stream: "))
    return FirstLook(
        2 * 8 / rates["pingpong"],
        rates["stream"],
        limits,
        {one.knob: one.proposed for one in reversed(advised)},
        {one.knob: "; ".join(one.evidence) for one in reversed(advised)},
        {str(node["name"]): interface_of(run, at) for at, node in enumerate(run.meta.nodes)},
    )
