"""A step between two nodes."""

from __future__ import annotations

from msgspec import Struct

from weft.measure.testbed.agent.reply.base import EndReply, Message, Settings


class ListenReply(Message, frozen=True, tag="listening"):
    """The port of the first address, and those of further addresses."""

    port: int
    more_ports: tuple[int, ...] = ()


class ConnectReply(Message, frozen=True, tag="connected"):
    effective: Settings


class BatchesDone(Message, frozen=True, tag="awaiting"):
    """All requested batches are measured and sent; the next may be requested."""


class NotRead(Struct, frozen=True):
    """Counters that cannot be read on a node, and why."""

    counters: str
    reason: str


class RecordReply(Message, frozen=True, tag="recording"):
    """The counters that are read beside the batches of a step, and those that are not."""

    counters: list[str]
    missing: list[NotRead]


class StallReport(Message, frozen=True, tag="stalled"):
    """A step is about to fail because nothing moved on its connection. Reports the payload bytes of a full segment, the
    segments without acknowledgement, how often in a row the oldest was retransmitted, and how long ago the peer's
    kernel acknowledged anything, including keepalive probes."""

    segment_bytes: int
    unacknowledged: int
    resends: int
    unanswered_ms: int


class BatchTime(Message, frozen=True, tag="timed"):
    """A batch is over; its start is on the driver's clock."""

    start_ns: int
    elapsed_ns: int


class Delivery(Struct, frozen=True):
    """What became of the messages of a batch."""

    phase: int
    batch: int
    sent: int
    received: int
    duplicated: int
    reordered: int
    overrun: int
    jitter_ns: int
    span_ns: int
    sending_ns: int


class Deliveries(Message, frozen=True):
    rows: list[Delivery]


class Done(EndReply, frozen=True):
    """A step between two nodes is over."""


class Error(EndReply, frozen=True, kw_only=True):
    """A request has failed because of some nodes (by index) or for another reason."""

    code: str
    message: str
    peers: tuple[int, ...] = ()
