"""Whether losses limit the throughput of a TCP connection; the same loss rate costs more on a longer path."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from weft.runs.folder import RunFolder
from weft.understand.explain.signals import Signal
from weft.understand.explain.stretches import Stretches

USUAL_MSS_BYTES = 1448
"""Assumed if unknown: Ethernet's 1,500 bytes less the headers of IPv4 and TCP with timestamps."""
MOST_OF_BOUND = 2.0
"""Losses limit a connection if TCP's throughput at that loss rate is at most this many times its own."""
TIMEOUT_NS = 200e6
"""The least retransmission timeout of Linux."""
LEAST_TIMEOUTS = 0.1
"""The least share of the time in timeouts that limits a connection."""
LEAST_LOST = 1e-3
"""The least share of lost frames that limits a connection whose round trip time is unknown."""


@dataclass(frozen=True)
class Losses:
    """Segments sent and frames received in a step, each at the node with the most.

    `window` is the average number of segments in flight of one connection, 0 if unknown.
    """

    segments: float
    frames: float
    window: float
    timeouts: float
    elapsed_ns: float

    @classmethod
    def of(cls, run: RunFolder, stretches: Stretches) -> Losses:
        nodes = range(len(run.meta.nodes))
        sender = max(nodes, key=lambda node: stretches.total(node, "tcp_bytes_sent"))
        elapsed_ns = float(stretches.elapsed_ns(sender).sum())
        segments = stretches.total(sender, "tcp_bytes_sent") / _mss_bytes(run, stretches.step)
        round_trip_ns = float(np.median(stretches.of(sender, "tcp_rtt_ns")))
        stripes = run.meta.plan.steps[stretches.step].options.stripes or 1
        return cls(
            segments,
            max(stretches.total(node, "interface_rx_packets") for node in nodes),
            segments / elapsed_ns * round_trip_ns / stripes,
            stretches.total(sender, "nstat:TcpExtTCPTimeouts"),
            elapsed_ns,
        )

    def limit(self, count: float) -> bool:
        """Whether `count` lost segments limit the connection.

        TCP Reno has sqrt(3 / (2 p)) segments in flight on average if it loses a share p of them (M. Mathis et al., "The
        Macroscopic Behavior of the TCP Congestion Avoidance Algorithm", 1997). A connection with far fewer is limited
        by something else.
        """
        if count <= 0:
            return False
        if self.window <= 0:
            return count / max(self.frames, self.segments, count) >= LEAST_LOST
        reached = math.sqrt(1.5 * self.segments / count)
        waited_ns = min(count, self.timeouts) * TIMEOUT_NS
        return (
            reached <= MOST_OF_BOUND * self.window or waited_ns >= LEAST_TIMEOUTS * self.elapsed_ns
        )

    def part(self, count: float, signal: Signal) -> float:
        """The share of dropped frames, or of retransmitted segments, for `count` of them."""
        of = self.segments if signal.cause.code == "loss-on-the-way" else self.frames
        return count / max(of, count)


def _mss_bytes(run: RunFolder, step: int) -> float:
    settings = [one["settings"] for one in run.meta.effective if one["step"] == step]
    return float(next((one.get("mss_bytes") for one in settings), None) or USUAL_MSS_BYTES)
