"""Possible causes of slow messages, and the counters that show each cause."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from weft.base.nodeset import fold
from weft.base.statistics import Floats
from weft.plan.pattern import Pingpong
from weft.runs.folder import RunFolder
from weft.understand.explain.stretches import HOST_WIDE, NO_CPU, Stretches
from weft.understand.host.disturbed import SHORT_WAIT_NS, host_of
from weft.understand.host.other_traffic import sharing_an_interface

Kind = Literal["share", "rate"]

FRAME_OVERHEAD_BYTES = 120
"""An upper bound of a frame's headers: an interface's bytes beyond its own payload and this belong to others."""
WINDOW_OF_BUFFER = 0.5
"""The share of a receive buffer that Linux advertises as window."""
AMPLE = 4.0
"""If the window is more than this many times the data in flight, the reader is the limit, not the buffer."""
LEAST_TURN = 0.5
"""Nodes are similarly slow if the lesser time is at least this share of the greater."""


@dataclass(frozen=True)
class CauseSignal:
    """A cause by its code, the counters that show it (a trailing `*` matches any suffix), and their kind.

    A "share" is a time relative to the time of the stretch; a "rate" counts events per second, each of which delays a
    message by at most `most_us`.
    """

    code: str
    says: str
    kind: Kind
    counters: tuple[str, ...]
    most_us: float = math.inf


CAUSES = (
    CauseSignal(
        "stolen-time", "processor time that the hypervisor took away", "share", ("cpu_steal_ns",)
    ),
    CauseSignal(
        "processor-quota",
        "the agent stopped by the quota of its control group",
        "share",
        ("process_throttled_ns",),
    ),
    CauseSignal(
        "thermal-throttling",
        "the processor slowed down by heat",
        "share",
        ("thermal_throttled_ns",),
    ),
    CauseSignal(
        "processor-contention",
        "the agent waiting for its processor",
        "share",
        ("process_waiting_ns",),
    ),
    CauseSignal("memory-pressure", "tasks waiting for memory", "share", ("pressure_memory_ns",)),
    CauseSignal("competing-traffic", "bytes of others on the interface", "rate", ()),
    CauseSignal(
        "backlog-drops",
        "frames dropped from the full backlog of a processor",
        "rate",
        ("softnet_dropped",),
    ),
    CauseSignal(
        "interface-drops",
        "frames that the interface dropped or found damaged",
        "rate",
        (
            "interface_rx_dropped",
            "interface_tx_dropped",
            "interface_rx_errors",
            "interface_tx_errors",
        ),
    ),
    CauseSignal(
        "reader-slow", "the peer's receive window full", "share", ("tcp_receive_window_limited_ns",)
    ),
    CauseSignal(
        "receive-buffer",
        "the peer's receive window full",
        "share",
        ("tcp_receive_window_limited_ns",),
    ),
    CauseSignal("send-buffer", "the send buffer full", "share", ("tcp_send_buffer_limited_ns",)),
    CauseSignal(
        "loss-on-the-way", "retransmissions", "rate", ("tcp_retransmits", "nstat:TcpExtTCPTimeouts")
    ),
    CauseSignal("interrupts", "interrupts", "share", ("cpu_irq_ns", "cpu_softirq_ns")),
    CauseSignal("interrupts", "interrupts", "rate", ("softirq_*", "interrupts:*"), 5.0),
    CauseSignal("page-faults", "page faults", "rate", ("process_faults",), 5.0),
)
"""In the order in which they are reported: causes before their possible effects."""


@dataclass(frozen=True)
class Signal:
    """One counter of one node (and processor) over the stretches, as a share of the time or as a rate per second."""

    cause: CauseSignal
    nodes: tuple[str, ...]
    counter: str
    cpu: int | None
    values: Floats

    @property
    def rank(self) -> int:
        return CAUSES.index(self.cause)

    @property
    def where(self) -> str:
        """For example "n1" or "n[1-2], processor 0"."""
        return fold(self.nodes) + ("" if self.cpu is None else f", processor {self.cpu}")


def signals(run: RunFolder, stretches: Stretches) -> list[Signal]:
    """The signals of all counters that changed in a step."""
    nodes = range(len(run.meta.nodes))
    found = [signal for node in nodes for signal in _of_node(run, stretches, node)]
    if isinstance(run.meta.plan.steps[stretches.step].pattern, Pingpong):
        found += _by_turns(found)
    return found


def _by_turns(found: Sequence[Signal]) -> Iterator[Signal]:
    """Sums of the times of a ping-pong's two nodes if both are similarly slow, since each then loses half of a round
    trip."""
    own: dict[tuple[CauseSignal, str], list[Signal]] = defaultdict(list)
    for one in found:
        if one.cause.kind == "share" and not one.counter.startswith(HOST_WIDE):
            own[one.cause, one.counter].append(one)
    for (cause, counter), of_nodes in own.items():
        means = [float(one.values.mean()) for one in of_nodes]
        if len(means) > 1 and min(means) >= LEAST_TURN * max(means):
            nodes = tuple(name for one in of_nodes for name in one.nodes)
            values = np.sum([one.values for one in of_nodes], axis=0)
            yield Signal(cause, nodes, counter, None, values)


def _of_node(run: RunFolder, stretches: Stretches, node: int) -> Iterator[Signal]:
    elapsed_ns = stretches.elapsed_ns(node)
    names = [str(one["name"]) for one in run.meta.nodes]
    alike = [
        other for other in range(len(names)) if host_of(run.meta, other) == host_of(run.meta, node)
    ]
    is_sharing = node in sharing_an_interface(run.meta)
    foreign = np.zeros(1) if is_sharing else foreign_bytes(stretches, node)
    for cause in CAUSES:
        if cause.code == "competing-traffic" and foreign.any():
            yield Signal(
                cause, (names[node],), "interface_rx_bytes", None, foreign / elapsed_ns * 1e9
            )
        if cause.code in ("reader-slow", "receive-buffer") and cause.code != window_cause(
            run, stretches, node
        ):
            continue
        scale = 1.0 if cause.kind == "share" else 1e9
        for key in (key for counter in cause.counters for key in stretches.keys(node, counter)):
            _, counter, cpu = key
            is_shared = counter.startswith(HOST_WIDE)
            if is_shared and node != alike[0]:
                continue
            of = tuple(names[one] for one in alike) if is_shared else (names[node],)
            values = stretches.values[key] / elapsed_ns * scale
            if counter == "process_waiting_ns":
                values = np.maximum(
                    values - SHORT_WAIT_NS * _switches(stretches, node) / elapsed_ns, 0
                )
            yield Signal(cause, of, counter, None if cpu == NO_CPU else cpu, values)


def _switches(stretches: Stretches, node: int) -> Floats:
    kinds = ("voluntary", "involuntary")
    return sum((stretches.of(node, f"process_{kind}_switches") for kind in kinds), np.zeros(1))


def foreign_bytes(stretches: Stretches, node: int) -> Floats:
    """Bytes that the interface received in each stretch beyond the connection's own; zeros if those are unknown."""
    received = stretches.of(node, "interface_rx_bytes")
    if not stretches.keys(node, "tcp_bytes_received") and not stretches.keys(
        node, "tcp_bytes_sent"
    ):
        return np.zeros(len(stretches))
    own = stretches.of(node, "tcp_bytes_received")
    headers = FRAME_OVERHEAD_BYTES * stretches.of(node, "interface_rx_packets")
    return np.maximum(received - own - headers, 0)


def window_cause(run: RunFolder, stretches: Stretches, node: int) -> str:
    """Why the receive window of a node's peer is full: "receive-buffer" if the buffer is small, "reader-slow" if not.

    The kernel enlarges a buffer that was not set as fast as it is read, up to its limit. Data in flight is averaged
    over the time in which the window is full, because other sizes of the step may have far less. The median round
    trip is used, because that of a few stretches may be many times as long on a busy machine.
    """
    buffer_bytes = run.meta.plan.steps[stretches.step].options.receive_buffer_bytes
    if buffer_bytes is None:
        buffer_bytes = _largest_buffer(run, 1 - node)
    full_ns = stretches.of(node, "tcp_receive_window_limited_ns")
    if buffer_bytes is None or not full_ns.any():
        return "reader-slow"
    rate = stretches.of(node, "tcp_bytes_sent") / stretches.elapsed_ns(node)
    trip_ns = np.median(stretches.of(node, "tcp_rtt_ns")[full_ns > 0])
    on_its_way = np.average(rate, weights=full_ns) * trip_ns
    is_ample = buffer_bytes * WINDOW_OF_BUFFER > AMPLE * on_its_way > 0
    return "reader-slow" if is_ample else "receive-buffer"


def _largest_buffer(run: RunFolder, node: int) -> int | None:
    """The size to which the kernel of a node enlarges a receive buffer, halved, because the kernel doubles requested
    sizes; None if unknown."""
    facts = run.meta.nodes[node].get("facts") or {} if node in (0, 1) else {}
    limit = (facts.get("settings") or {}).get("tcp_rmem_max")
    return limit // 2 if isinstance(limit, int) else None
