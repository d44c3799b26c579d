"""Segments that nodes sent, lost and found reordered in each phase, from the kernel's TCP counters."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

SENT = "nstat:TcpExtTCPOrigDataSent"
RESENT = "nstat:TcpRetransSegs"
NEEDLESS = "nstat:TcpExtTCPDSACKRecv"
"""A duplicate reported by the receiver (RFC 2883): the segment was late or reordered, not lost."""
OVERTAKEN = ("nstat:TcpExtTCPSACKReorder", "nstat:TcpExtTCPTSReorder")
"""Reordering that the sender detected by selective acknowledgements and by timestamps."""

At = tuple[int, int]
"""Phase, and the node that sent."""


@dataclass(frozen=True)
class SegmentCounts:
    """The segments of one connection in a phase, or of several together."""

    sent: float = 0.0
    lost: float = 0.0
    overtaken: float = 0.0

    @property
    def lost_share(self) -> float:
        """The share of segments that were lost; 1 if there are losses but no count of segments sent."""
        return self.lost / max(self.sent, self.lost, 1.0)

    @property
    def overtaken_share(self) -> float:
        return self.overtaken / max(self.sent, self.overtaken, 1.0)


def segments(evidence: pa.Table, step: int) -> dict[At, SegmentCounts]:
    """The segments of a step by phase and node; empty if nothing was recorded."""
    rows = evidence.filter(pc.equal(evidence["step"], step))
    sent, again, needless = (_by_phase(rows, [name]) for name in (SENT, RESENT, NEEDLESS))
    overtaken = _by_phase(rows, OVERTAKEN)
    return {
        at: SegmentCounts(
            sent.get(at, 0.0),
            max(again.get(at, 0.0) - needless.get(at, 0.0), 0.0),
            overtaken.get(at, 0.0),
        )
        for at in sent.keys() | again.keys() | overtaken.keys()
    }


def together(some: Iterable[SegmentCounts]) -> SegmentCounts:
    """The sum of several counts."""
    found = list(some)
    return SegmentCounts(
        sum(one.sent for one in found),
        sum(one.lost for one in found),
        sum(one.overtaken for one in found),
    )


def _by_phase(rows: pa.Table, counters: Iterable[str]) -> dict[At, float]:
    own = rows.filter(pc.is_in(rows["counter"].cast("string"), pa.array(list(counters))))
    found: dict[At, float] = {}
    columns = (own[name].to_pylist() for name in ("phase", "node", "value"))
    for phase, node, value in zip(*columns, strict=True):
        found[phase, node] = found.get((phase, node), 0.0) + value
    return found
