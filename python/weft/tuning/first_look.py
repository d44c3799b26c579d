"""A short run before anything is tuned: how far and how fast the path is, and what the kernel says limits it."""

from __future__ import annotations

from msgspec import Struct

from weft.diagnosis.evidence import PointEvidence, evidence
from weft.diagnosis.explain.explain import explain
from weft.diagnosis.points import points
from weft.quantity import format_bytes, format_mbps, format_us
from weft.runs.folder import Run

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
stop = { rule = "time", trial = "250 ms", trials = 4 }
"""


class FirstLook(Struct, frozen=True):
    """What was measured: `limits` maps each cause that the evidence names (as in docs/causes.md) to a sentence; the
    strongest is first. `measures` are readings of the stream at each node, by node and name."""

    round_trip_us: float
    rate_mbps: float
    limits: dict[str, str] = {}
    measures: dict[str, dict[str, float]] = {}

    @property
    def bandwidth_delay_bytes(self) -> float:
        """What is on its way when the path is full: rate times round trip."""
        return self.rate_mbps * self.round_trip_us / 8

    @property
    def text(self) -> str:
        """In a sentence."""
        return (
            f"{format_mbps(self.rate_mbps)}, round trip {format_us(self.round_trip_us)}: "
            f"bandwidth-delay product {format_bytes(self.bandwidth_delay_bytes)}"
        )


def read_first_look(run: Run) -> FirstLook:
    """What the samples and the evidence of a first look say."""
    rates = {point.pattern: point.throughput_mbps.median for point in points(run)}
    limits: dict[str, str] = {}
    for one in explain(run):
        if one.kind == "limit" and one.cause is not None and one.step == "stream":
            limits.setdefault(one.cause, one.text.removeprefix("stream: "))
    return FirstLook(
        2 * 8 / rates["pingpong"],
        rates["stream"],
        limits,
        {one.node: _measures(one) for one in evidence(run).points if one.pattern == "stream"},
    )


def _measures(one: PointEvidence) -> dict[str, float]:
    return {name: interval.median for name, interval in one.measures.items()}
