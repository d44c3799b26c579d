"""Whether losses cost a TCP connection its throughput: the same share costs more, the longer the path is."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from weft.runs.folder import RunFolder
from weft.understand.explain.signals import Signal
from weft.understand.explain.stretches import Stretches

USUAL_MSS_BYTES = 1448
"""Of Ethernet's 1,500 bytes, less headers of IPv4 and TCP with time stamps: where no segment was counted."""
MOST_OF_BOUND = 2.0
"""Losses limit a connection that has at least one such part of the throughput that TCP reaches with them."""
TIMEOUT_NS = 200e6
"""How long Linux waits at least before it sends again what nothing acknowledges."""
LEAST_TIMEOUTS = 0.1
"""Of the time: with less, these waits do not limit."""
LEAST_LOST = 1e-3
"""Of the frames, where no round trip time tells what losses cost."""


@dataclass(frozen=True)
class Losses:
    """What was sent and received in a step, at the node where that is most.

    `window` is how many segments were on their way on average in one connection, 0 where that is not known.
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
        """Whether so many lost segments limit the connection.

        TCP Reno has sqrt(3 / (2 p)) segments on their way on average where it loses a share p of them (M. Mathis et
        al., "The Macroscopic Behavior of the TCP Congestion Avoidance Algorithm", 1997). One that has far fewer is
        limited by something else.
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
        """The share of frames that were dropped, or of segments that were sent again."""
        of = self.segments if signal.cause.code == "loss-on-the-way" else self.frames
        return count / max(of, count)


def _mss_bytes(run: RunFolder, step: int) -> float:
    settings = [one["settings"] for one in run.meta.effective if one["step"] == step]
    return float(next((one.get("mss_bytes") for one in settings), None) or USUAL_MSS_BYTES)
