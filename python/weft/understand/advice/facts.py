"""Facts of a node in a step between two nodes, named as in the rules of catalog/advice.toml.

They are flat, with units in their names; shares lie between 0 and 1. Unknown facts are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from weft.base.condition import Fact
from weft.plan.plan import Step
from weft.runs.folder import RunFolder
from weft.understand.curve.delivery import deliveries
from weft.understand.curve.thresholds import Threshold
from weft.understand.explain.path_mtu import Hole
from weft.understand.explain.stretches import Stretches

DELAYED_ACK_NS = 40e6
"""How long Linux delays an acknowledgement that no reply carries."""
BY_LOSS = ("reno", "cubic", "htcp", "scalable", "illinois", "bic", "highspeed")
"""Congestion controls that halve or shrink their window at each loss."""
RECEIVER = 1
"""The node at which datagrams are counted: the second, to which the first sends."""
LEAST_IDLE = 0.5
"""A processor that was idle for at least this share of the time can take more work."""
MOST_EAGER = 16
"""The largest eager limit to propose, as a multiple of the old one; sizes near the old one say nothing beyond it."""
INSIDE = ("btl_vader", "btl_sm", "btl_self")
"""Prefixes of limits between processes of one node."""
_LIMIT = re.compile(r"eager to rendezvous, (?P<name>\w+) = (?P<bytes>[\d,]+) B")

Facts = dict[str, Fact]


def facts_of(run: RunFolder, step: int, stretches: Stretches | None, node: int) -> Facts:
    """The facts of a node in a step, without those from explanations and thresholds."""
    asked, effective = _asked(run.meta.plan.steps[step]), dict(_effective(run, step, node))
    found = dict(_of_node(run, node)) | asked | effective
    for buffer in ("send_buffer", "receive_buffer"):
        wanted, given = found.get(f"{buffer}_bytes"), found.get(f"given_{buffer}_bytes")
        if isinstance(wanted, float) and isinstance(given, float):
            found[f"{buffer}_is_capped"] = given < wanted
    if node == RECEIVER:
        found |= dict(_delivered(run, step))
    line_mbps = _line_mbps(run)
    if line_mbps:
        found["line_mbps"] = line_mbps
    if stretches is not None:
        found |= dict(_path(stretches, node, line_mbps))
        found |= dict(_delayed_acks(stretches, node))
        found |= dict(_processors(stretches, node))
    return found


def eager_facts(found: Sequence[Threshold]) -> Iterator[Facts]:
    """Facts of each eager limit that shows as a jump: name, bytes, and the size up to which eager would be faster."""
    for one in found:
        named = _LIMIT.search(one.name or "")
        if named is None or one.found.kind != "jump":
            continue
        limit = int(named["bytes"].replace(",", ""))
        yield {
            "eager_variable": f"OMPI_MCA_{named['name']}"
            if named["name"].startswith("btl_")
            else named["name"],
            "eager_is_of_network": not named["name"].startswith(INSIDE),
            "eager_bytes": float(limit),
            "eager_jump_share": one.found.height.median,
            "eager_crossing_bytes": _crossing_bytes(one, limit),
            "text": f"{one.pattern}: {one.text}",
        }


def hole_facts(hole: Hole) -> Facts:
    """Facts of a path MTU black hole: the segment and MTU that are likely to pass, as arguments of commands."""
    return {
        "safe_segment": str(hole.safe_bytes),
        "safe_mtu": str(hole.safe_bytes + hole.headers),
    }


def _crossing_bytes(threshold: Threshold, limit: int) -> float:
    """The size at which both protocols are equally fast, at most MOST_EAGER times the limit."""
    sizes = limit * np.geomspace(1, MOST_EAGER, 65)
    found = threshold.found
    is_faster = found.before.predict(sizes) < found.after.predict(sizes)
    return float(sizes[-1] if is_faster.all() else sizes[max(0, int(is_faster.argmin()) - 1)])


def _asked(step: Step) -> Facts:
    """The settings that the plan requests; buffers only if it sets them."""
    options = step.options
    asked = {
        "send_buffer_bytes": options.send_buffer_bytes,
        "receive_buffer_bytes": options.receive_buffer_bytes,
    }
    known: Facts = {name: float(value) for name, value in asked.items() if value is not None}
    return known | {
        "transport": step.transport,
        "pattern": step.pattern.kind,
        "nodelay": options.nodelay,
        "pacing": "none",
        "sets_send_buffer": options.send_buffer_bytes is not None,
        "sets_receive_buffer": options.receive_buffer_bytes is not None,
    }


def _effective(run: RunFolder, step: int, node: int) -> Iterator[tuple[str, Fact]]:
    """The settings in effect of the node's socket; buffers are halved, because the kernel doubles requested sizes."""
    name = run.meta.nodes[node]["name"]
    settings: Mapping[str, Any] = next(
        (
            one["settings"]
            for one in run.meta.effective
            if one["step"] == step and one["node"] == name
        ),
        {},
    )
    for key in ("send_buffer_bytes", "receive_buffer_bytes"):
        if isinstance(settings.get(key), int):
            yield f"given_{key}", settings[key] / 2
    if congestion := settings.get("congestion"):
        yield "congestion", congestion
        yield "is_by_loss", congestion in BY_LOSS


def _of_node(run: RunFolder, node: int) -> Iterator[tuple[str, Fact]]:
    """Limits of the kernel and the MTU of the measured interface, if the node's agent recorded them."""
    facts = run.meta.nodes[node].get("facts") or {}
    device = (facts.get("devices") or {}).get(interface_of(run, node)) or {}
    for name, value in (facts.get("settings") or {}).items():
        if isinstance(value, int | float | str):
            yield name, value
    if "mtu_bytes" in device:
        yield "mtu_bytes", float(device["mtu_bytes"])
        yield "mtu", str(device["mtu_bytes"])


def interface_of(run: RunFolder, node: int) -> str:
    """The interface with the measured address of a node; "INTERFACE" if unknown."""
    known = run.meta.nodes[node]
    interfaces = (known.get("facts") or {}).get("interfaces") or ()
    names = (one["name"] for one in interfaces if known.get("address") in one["addresses"])
    return next(names, "INTERFACE")


def _delivered(run: RunFolder, step: int) -> Iterator[tuple[str, Fact]]:
    """Facts of datagrams dropped by the receiving socket's full buffer, and how long it lasts at their highest rate."""
    points = [one for one in deliveries(run) if one.step == step]
    if not points:
        return
    overrun, sent = sum(one.overrun for one in points), sum(one.sent for one in points)
    yield "overrun", float(overrun)
    yield "overrun_share", overrun / max(1, sent)
    rates = [one.offered_mbps.median for one in points if one.offered_mbps]
    given = dict(_effective(run, step, RECEIVER)).get("given_receive_buffer_bytes")
    if rates and isinstance(given, float):
        yield "buffer_lasts_us", 8 * given / max(rates)


def _line_mbps(run: RunFolder) -> float | None:
    """The rate of the slowest link of the testbed; None if unknown."""
    fabric = run.meta.testbed.get("fabric")
    directions = [
        way
        for link in (fabric["links"] if fabric else ())
        for way in (link["forward"], link["backward"])
    ]
    known = [rate for way in directions if (rate := way["rate_bits_per_s"])]
    return min(known) / 1e6 if known else None


def _path(stretches: Stretches, node: int, line_mbps: float | None) -> Iterator[tuple[str, Fact]]:
    """The round trip time, and the data in flight at the line rate and at the rate achieved."""
    trips = stretches.of(node, "tcp_rtt_ns")
    sent = stretches.of(node, "tcp_bytes_sent")
    if not trips.any() or not sent.any():
        return
    trip_ns = float(trips[trips > 0].min())
    yield "rtt_us", trip_ns / 1e3
    if line_mbps:
        yield "bdp_bytes", line_mbps * trip_ns / 8e3
    full_ns = stretches.of(node, "tcp_receive_window_limited_ns")
    if full_ns.any():
        on_its_way = sent / stretches.elapsed_ns(node) * trips
        yield "window_bytes", float(np.average(on_its_way, weights=full_ns))


def _delayed_acks(stretches: Stretches, node: int) -> Iterator[tuple[str, Fact]]:
    """The number of the node's delayed acknowledgements, and the largest share of the time that they may account for
    at any size."""
    counts, lasted_ns = stretches.of(node, "nstat:TcpExtDelayedACKs"), stretches.elapsed_ns(node)
    shares = [
        float(counts[rows].sum() * DELAYED_ACK_NS / lasted_ns[rows].sum())
        for rows in (stretches.phase == phase for phase in np.unique(stretches.phase))
    ]
    yield "delayed_ack_share", min(1.0, max(shares))
    yield "delayed_acks", float(counts.sum())


def _processors(stretches: Stretches, node: int) -> Iterator[tuple[str, Fact]]:
    """The processor that spends the most time in interrupts, and the idlest one."""
    lasted_ns = float(stretches.elapsed_ns(node).sum())

    def shares(*counters: str) -> dict[int, float]:
        keys = [key for counter in counters for key in stretches.keys(node, counter)]
        found: dict[int, float] = {}
        for key in keys:
            found[key[2]] = found.get(key[2], 0.0) + float(stretches.values[key].sum()) / lasted_ns
        return found

    if softirq := shares("cpu_softirq_ns", "cpu_irq_ns"):
        busiest = max(softirq, key=softirq.__getitem__)
        yield "softirq_cpu", str(busiest)
        yield "softirq_share", min(1.0, softirq[busiest])
    if idle := shares("cpu_idle_ns"):
        idlest = max(idle, key=idle.__getitem__)
        if idle[idlest] >= LEAST_IDLE:
            yield "idle_cpu", str(idlest)
            yield "idle_cpu_mask", f"{1 << idlest:x}"
            yield "idle_share", min(1.0, idle[idlest])
