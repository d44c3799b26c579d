"""Path MTU black holes (RFC 2923, section 2.1): small messages pass, but large packets are silently dropped."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from weft.plan.pattern import Pingpong
from weft.plan.phases import expand
from weft.runs.folder import RunFolder
from weft.runs.records.records import Stall
from weft.understand.curve.curve import column
from weft.understand.curve.delivery import deliveries
from weft.understand.explain.finding import Explanation, Reading

PATH_MTU_HOLE = "path-mtu-hole"
LEAST_RESENDS = 3
"""Consecutive retransmissions. With 1 % random loss, a segment and two retransmissions are lost once in a million."""
ANSWERED_MS = 3_000
"""A peer whose kernel answered within this time is alive; it is probed once a second."""
HEADERS_BYTES = {4: 52, 6: 72}
"""Headers of a TCP segment with timestamps, by the version of IP."""
UDP_HEADERS_BYTES = {4: 28, 6: 48}
"""Headers of a datagram, by the version of IP (RFC 768, 791, 8200)."""
BASE_SEGMENT_BYTES = 1024
"""The size at which Linux starts to probe the MTU of a path (net.ipv4.tcp_base_mss)."""


@dataclass(frozen=True)
class Hole:
    """Payload bytes of one packet from `node` that pass (0: none known to) and that are swallowed; `headers` are the
    packet's other bytes. The segment was retransmitted `resends` times in a row; 0 for datagrams, of which `sent` were
    lost."""

    step: int
    node: int
    passes: int
    swallowed: int
    headers: int
    resends: int = 0
    sent: int = 0

    @property
    def safe_bytes(self) -> int:
        """The largest payload of a segment that is known or likely to pass: one that did, the size at which Linux
        starts to probe, or half of the swallowed one."""
        tried = BASE_SEGMENT_BYTES if self.swallowed > BASE_SEGMENT_BYTES else 0
        return max(self.passes, tried) or self.swallowed // 2


def path_mtu_holes(run: RunFolder) -> Iterator[Hole]:
    """The holes of a run, at most one for each step between two nodes."""
    for step, plan in enumerate(run.meta.plan.steps):
        if plan.is_ensemble:
            continue
        stalls = [one for one in run.meta.stalls if one["step"] == step]
        found = _of_stalls(run, step, stalls) or _of_datagrams(run, step)
        if found:
            yield found


def explain_holes(run: RunFolder) -> Iterator[Explanation]:
    """The holes of a run, each as the limit of its step."""
    yield from (_explanation(run, one) for one in path_mtu_holes(run))


def _of_stalls(run: RunFolder, step: int, stalls: list[Stall]) -> Hole | None:
    """A hole if a segment was retransmitted repeatedly while the peer's kernel answered small packets, or in several
    launches; None otherwise."""
    stuck = [one for one in stalls if one["unacknowledged"] and one["resends"] >= LEAST_RESENDS]
    if not stuck or not (_answers(stalls) or len({one["launch"] for one in stuck}) > 1):
        return None
    worst = max(stuck, key=lambda one: one["resends"])
    node = next(at for at, one in enumerate(run.meta.nodes) if one["name"] == worst["node"])
    passes, untried = _sizes(run, step)
    is_pingpong = isinstance(run.meta.plan.steps[step].pattern, Pingpong)
    swallowed = min([worst["segment_bytes"], *([untried] if is_pingpong and untried else [])])
    if passes >= swallowed:
        return None
    return Hole(step, node, passes, swallowed, HEADERS_BYTES[_version(run)], worst["resends"])


def _answers(stalls: list[Stall]) -> bool:
    """Whether the probes without payload of a waiting end are answered."""
    waiting = (one for one in stalls if not one["unacknowledged"])
    return any(one["unanswered_ms"] <= ANSWERED_MS for one in waiting)


def _sizes(run: RunFolder, step: int) -> tuple[int, int | None]:
    """The largest size that was measured, and the smallest planned size that was not (None if all were)."""
    of_step = column(run.samples, "step") == step
    measured = set(column(run.samples, "size_bytes")[of_step].tolist())
    missing = set(_planned(run, step)) - measured
    return max(measured, default=0), min(missing, default=None)


def _planned(run: RunFolder, step: int) -> list[int]:
    phases = expand(run.meta.plan.steps[step], len(run.meta.nodes))
    return [phase.size_bytes for phase in phases]


def _of_datagrams(run: RunFolder, step: int) -> Hole | None:
    """A hole if all datagrams from one size on were lost, and at least half of the next smaller size arrived; None
    otherwise."""
    points = sorted(
        (one for one in deliveries(run) if one.step == step and one.sent),
        key=lambda one: one.size_bytes,
    )
    for passed, lost in pairwise(points):
        is_above = [one.size_bytes > passed.size_bytes for one in points]
        arrived = [one.received > 0 for one in points]
        if 2 * passed.received >= passed.sent and arrived == [not one for one in is_above]:
            headers = UDP_HEADERS_BYTES[_version(run)]
            sent = sum(one.sent for one in points if one.size_bytes > passed.size_bytes)
            return Hole(step, 0, passed.size_bytes, lost.size_bytes, headers, sent=sent)
    return None


def _version(run: RunFolder) -> int:
    """The version of IP, from the first node's address."""
    return 6 if ":" in str(run.meta.nodes[0].get("address")) else 4


def _explanation(run: RunFolder, hole: Hole) -> Explanation:
    step, node = run.meta.plan.steps[hole.step], str(run.meta.nodes[hole.node]["name"])
    if hole.resends:
        counter, count = "resends", hole.resends
        happened = f"a segment of {hole.swallowed} B was sent again {count} times in a row and never acknowledged"
    else:
        counter, count = "lost", hole.sent
        happened = f"all {count} datagrams of {hole.swallowed} B and more were lost"
    small = f"messages of {hole.passes} B passed" if hole.passes else "small packets were answered"
    least, most = (size + hole.headers for size in (hole.passes, hole.swallowed))
    says = f"the path swallows packets of {most} B" + (
        f", not those of {least}" if hole.passes else ""
    )
    return Explanation(
        "limit",
        step.name,
        tuple(size for size in _planned(run, hole.step) if size > hole.passes),
        f"{step.name}: {node}: {says}: {happened}, {small}",
        PATH_MTU_HOLE,
        (node,),
        1.0,
        evidence=[Reading(counter, node, float(count), None, "count")],
    )
