"""Loss, duplication, reordering and jitter on lossy transports, by size, with intervals over launches."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from statistics import median

from weft.base.interval import Interval
from weft.base.statistics import median_interval
from weft.runs.folder import RunFolder
from weft.runs.records.records import CountEndReply, DeliveryRecord
from weft.understand.curve.curve import phase_sizes

COUNTS: tuple[CountEndReply, ...] = ("sent", "received", "duplicated", "reordered", "overrun")


@dataclass(frozen=True)
class DeliveryCounts:
    """One size of one step; counts are totals over all launches.

    Of the lost messages, `overrun` were dropped by the receiving socket's full buffer; `ring` and `backlog` by the
    interface's ring and the driver's queue, which only simulated nodes report. `loss_pct`, `jitter_us` (RFC 3550)
    and `offered_mbps` (payload) are intervals over launches; a ping-pong has only `loss_pct`.
    """

    step: int
    phase: int
    size_bytes: int
    launches: int
    sent: int
    received: int
    duplicated: int
    reordered: int
    overrun: int
    loss_pct: Interval
    jitter_us: Interval | None
    offered_mbps: Interval | None
    ring: int | None = None
    backlog: int | None = None

    @property
    def lost(self) -> int:
        return self.sent - self.received

    def to_json(self) -> dict[str, object]:
        """The delivery as `weft show --json` prints it."""
        return vars(self) | {"lost": self.lost}


def deliveries(run: RunFolder) -> list[DeliveryCounts]:
    """The deliveries of a run, by step, then phase."""
    by_launch: dict[tuple[int, int], dict[int, list[DeliveryRecord]]] = defaultdict(dict)
    for row in run.meta.deliveries:
        launches = by_launch[row["step"], row["phase"]]
        launches.setdefault(row["launch"], []).append(row)
    sizes = phase_sizes(run) if by_launch else {}
    return [
        _delivered(run, step, phase, sizes[step, phase], list(by_launch[step, phase].values()))
        for step, phase in sorted(by_launch.keys() & sizes.keys())
    ]


def _delivered(
    run: RunFolder, step: int, phase: int, size_bytes: int, launches: list[list[DeliveryRecord]]
) -> DeliveryCounts:
    rows = [row for launch in launches for row in launch]
    offered = [_offered_mbps(launch, size_bytes) for launch in launches]
    streamed = run.meta.plan.steps[step].pattern.kind == "stream"
    return DeliveryCounts(
        step=step,
        phase=phase,
        size_bytes=size_bytes,
        launches=len(launches),
        **{name: _total(rows, name) for name in COUNTS},
        ring=_total(rows, "ring") if "ring" in rows[0] else None,
        backlog=_total(rows, "backlog") if "backlog" in rows[0] else None,
        loss_pct=median_interval([_loss_pct(launch) for launch in launches], upper=True),
        jitter_us=median_interval([*map(_jitter_us, launches)], upper=True) if streamed else None,
        offered_mbps=median_interval(offered) if streamed else None,
    )


def _total(rows: list[DeliveryRecord], name: CountEndReply) -> int:
    return sum(row[name] for row in rows)


def _loss_pct(rows: list[DeliveryRecord]) -> float:
    sent = _total(rows, "sent")
    return 100 * (sent - _total(rows, "received")) / sent if sent else 0.0


def _jitter_us(rows: list[DeliveryRecord]) -> float:
    """The median over batches, each of which has its own running estimate."""
    return float(median(row["jitter_ns"] for row in rows)) / 1e3


def _offered_mbps(rows: list[DeliveryRecord], size_bytes: int) -> float:
    """Bits per nanosecond are 10^9 bit/s."""
    sending_ns = max(1, _total(rows, "sending_ns"))
    return _total(rows, "sent") * size_bytes * 8e3 / sending_ns
