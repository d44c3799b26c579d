"""The result of the blocks: ratios with intervals, overhead compared with arithmetic, and what limits the tunnel."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from statistics import median
from typing import Literal

from msgspec import Struct

from weft.base.interval import Interval
from weft.base.paired import bounds, middle
from weft.base.result import Documented
from weft.operate.vpn.blocks import PATHS, PathTrial
from weft.operate.vpn.headers import SegmentSize, share_left
from weft.operate.vpn.kind import VpnKind
from weft.operate.vpn.mpi import MpiChoice
from weft.runs.run_warnings import RunWarning, doubts
from weft.understand.race.contest import ratios, to_ratio

Limit = Literal["link", "processor", "loss", "unknown"]
ERROR = 0.05
EXPLAINED = 0.05
"""A tunnel that is slower than headers allow by less than this share is as fast as they allow."""
BUSY_CORE, BUSY_VPN = 0.9, 0.7
"""A processor is the limit if it is busy for this share of the time, or if the VPN's process alone uses this share."""
LEAST_VPN = 0.1
"""A busy processor is not the limit of a VPN whose process uses less than this share of one: others keep it busy."""


class Ends(Struct, frozen=True):
    """The ends of a path: addresses and interfaces; MTUs in bytes, None if unknown."""

    addresses: tuple[str, str]
    interfaces: tuple[str, str]
    mtu_bytes: int | None
    path_mtu_bytes: int | None
    segment_bytes: int | None


class PathMedians(Struct, frozen=True):
    """Medians of a path; processor time of both nodes, and of the VPN's processes alone, in seconds per 10^9 bytes of
    payload."""

    rtt_us: float
    mbps: float
    processor_s_per_gb: float | None
    vpn_s_per_gb: float
    vpn_cores: float
    busiest: float | None
    resent: float


class TunnelOutage(Struct, frozen=True):
    """The path was silent for `path_s`; the tunnel answered `later_s` after the path did, None if it did not in the
    remaining `watched_s`."""

    begin_s: float
    path_s: float
    later_s: float | None
    watched_s: float = 0.0


class TunnelComparison(Documented, Struct, frozen=True):
    """A tunnel compared with the path below it. Ratios are tunnel over raw path, `interval` is None for too few blocks;
    `expected` is the ratio that headers allow, None if the VPN's packet format is unknown."""

    DERIVED = ("tcp_over_tcp", "beside_arithmetic", "doubts")

    kind: VpnKind
    raw: Ends
    tunnel: Ends
    raw_measured: PathMedians
    tunnel_measured: PathMedians
    ratio: float
    interval: Interval | None
    rtt_ratio: float
    rtt_added_us: float
    expected: float | None
    limit: Limit
    reason: str
    mpi: MpiChoice
    blocks: int
    seconds: float
    carried_outside: float
    """Bytes on the raw path's interface per byte of payload in the tunnel; 0 if it carried none."""
    outages: list[TunnelOutage] = []
    remedy: str = ""
    """What makes the tunnel recover, if it did not or took at least `LATE_S`."""
    warnings: tuple[RunWarning, ...] = ()
    """Warnings of the testbed; `run` is the folder, empty if there is none."""

    @property
    def doubts(self) -> tuple[str, ...]:
        return doubts(self.warnings)

    @property
    def tcp_over_tcp(self) -> bool:
        return self.kind.protocol == "tcp"

    @property
    def beside_arithmetic(self) -> float | None:
        """Throughput relative to what headers allow, minus one."""
        return self.ratio / self.expected - 1 if self.expected else None


def compare(
    kind: VpnKind,
    ends: tuple[Ends, Ends],
    blocks: Sequence[Sequence[PathTrial]],
    mpi: MpiChoice,
    seconds: float,
) -> TunnelComparison:
    """The comparison that follows from blocks."""
    raw, tunnel = ends
    ours, theirs = _of(blocks, "raw"), _of(blocks, "tunnel")
    logs = _logs(blocks, lambda one: one.mbps)
    trips = _logs(blocks, lambda one: one.rtt_us)
    ratio, interval = math.exp(middle(logs)), bounds(logs, ERROR)
    expected = _expected(kind, raw, tunnel)
    measured = _measured(theirs)
    limit, reason = limit_of(ratio, expected, measured, kind.protocol == "tcp")
    return TunnelComparison(
        kind=kind,
        raw=raw,
        tunnel=tunnel,
        raw_measured=_measured(ours),
        tunnel_measured=measured,
        ratio=ratio,
        interval=to_ratio(interval) if interval else None,
        rtt_ratio=math.exp(middle(trips)),
        rtt_added_us=median(b.rtt_us - a.rtt_us for a, b in zip(ours, theirs, strict=True)),
        expected=expected,
        limit=limit,
        reason=reason,
        mpi=mpi,
        blocks=len(blocks),
        seconds=round(seconds, 1),
        carried_outside=_outside(theirs, raw.interfaces),
    )


def limit_of(
    ratio: float, expected: float | None, measured: PathMedians, is_tcp: bool
) -> tuple[Limit, str]:
    """What limits the tunnel, and the reason."""
    if expected and ratio >= expected * (1 - EXPLAINED):
        return "link", "headers explain what the tunnel lacks: it is as fast as the link lets it be"
    busiest = measured.busiest or 0.0
    if measured.vpn_cores >= BUSY_VPN:
        return (
            "processor",
            f"the VPN's process takes {measured.vpn_cores:.2f} of a processor while data flows",
        )
    if busiest >= BUSY_CORE and not 0 < measured.vpn_cores < LEAST_VPN:
        return (
            "processor",
            f"a processor is busy {100 * busiest:.0f} % of the time while data flows",
        )
    if measured.resent > 0:
        layers = "TCP over TCP melts down: both layers send again" if is_tcp else "TCP sends again"
        return (
            "loss",
            f"{layers}: {measured.resent:.0f} segments in a block, and no processor explains it",
        )
    if expected is None and ratio > 0.9:
        return "link", "the tunnel is about as fast as the path"
    return "unknown", "neither headers, processors nor loss explain it; queues or buffers may"


def _of(blocks: Sequence[Sequence[PathTrial]], path: str) -> list[PathTrial]:
    return [one for block in blocks for one in block if one.path == path]


def _logs(
    blocks: Sequence[Sequence[PathTrial]], value: Callable[[PathTrial], float]
) -> list[float]:
    """As of a race of the tunnel against the raw path."""
    return ratios(
        [{one.path: math.log(value(one)) for one in block} for block in blocks], *PATHS[::-1]
    )


def _expected(kind: VpnKind, raw: Ends, tunnel: Ends) -> float | None:
    known = (raw.segment_bytes, raw.mtu_bytes, tunnel.segment_bytes, tunnel.mtu_bytes)
    if not kind.wrapping or None in known:
        return None
    ends = [SegmentSize(one.segment_bytes or 0, one.mtu_bytes or 0) for one in (raw, tunnel)]
    return share_left(kind.wrapping, *ends)


def _measured(trials: Sequence[PathTrial]) -> PathMedians:
    gigabytes = [one.payload_bytes / 1e9 for one in trials]
    busy = [one.busy_s / gb for one, gb in zip(trials, gigabytes, strict=True) if one.busy_s]
    busiest = [one.busiest for one in trials if one.busiest is not None]
    return PathMedians(
        rtt_us=median(one.rtt_us for one in trials),
        mbps=median(one.mbps for one in trials),
        processor_s_per_gb=median(busy) if busy else None,
        vpn_s_per_gb=sum(one.vpn_s for one in trials) / sum(map(_through_gb, trials)),
        vpn_cores=median(one.vpn_cores for one in trials),
        busiest=median(busiest) if busiest else None,
        resent=median(one.resent for one in trials),
    )


def _through_gb(trial: PathTrial) -> float:
    """Payload including the batch before the timed one, because counters of processes do not separate them."""
    return max([trial.payload_bytes, *_most(trial)]) / 1e9


def _most(trial: PathTrial) -> list[int]:
    return [max(one.values(), default=0) for one in trial.carried_bytes[:1]]


def _outside(trials: Sequence[PathTrial], interfaces: tuple[str, str]) -> float:
    """Ratio from the sender's counters, if the path's own interface carried at least as much as the tunnel's."""
    shares = []
    for one in trials:
        carried = one.carried_bytes[0] if one.carried_bytes else {}
        outside = carried.get(interfaces[0], 0)
        inside = max((size for name, size in carried.items() if name != interfaces[0]), default=0)
        shares.append(outside / inside if inside else 0.0)
    return median(shares)
