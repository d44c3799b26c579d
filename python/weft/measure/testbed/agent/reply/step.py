"""A step between two nodes."""

from __future__ import annotations

from msgspec import Struct

from weft.measure.testbed.agent.reply.base import Ending, Message, Settings


class Listening(Message, frozen=True):
    """The port of the first address, and those of the further ones."""

    port: int
    more_ports: tuple[int, ...] = ()


class Connected(Message, frozen=True):
    effective: Settings


class Awaiting(Message, frozen=True):
    """All that was asked for is measured and sent; the next batches may be asked for."""


class NotRead(Struct, frozen=True):
    """Counters that cannot be read on a node, and why."""

    counters: str
    reason: str


class Recording(Message, frozen=True):
    """Which counters are read beside the batches of a step, and which are not."""

    counters: list[str]
    missing: list[NotRead]


class Stalled(Message, frozen=True):
    """A step is about to fail: nothing had moved on its connection. Payload bytes of a full segment, segments that were
    not acknowledged, how often in a row the oldest was sent again, and how long ago the peer's kernel acknowledged
    anything, keepalive probes included."""

    segment_bytes: int
    unacknowledged: int
    resends: int
    unanswered_ms: int


class Timed(Message, frozen=True):
    """A batch is over; when it began is on the driver's clock."""

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


class Done(Ending, frozen=True):
    """A step between two nodes is over."""


class Error(Ending, frozen=True, kw_only=True):
    """What was asked has failed because of some nodes, by index, or for another reason."""

    code: str
    message: str
    peers: tuple[int, ...] = ()
