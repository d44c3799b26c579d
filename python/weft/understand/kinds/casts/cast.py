"""The distribution of a file to all nodes: when each had it, how nodes spent their time, and the slowest one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Literal

from msgspec import Struct, convert

from weft.runs.columns.tables import CASTS_NAME
from weft.runs.folder import RunFolder
from weft.runs.records import records

SLOW_LINK = 0.7
"""A link below this share of the others' median rate is reported as slow."""
BUSY_LINK = 0.5
"""A slow link must have been receiving for at least this share of the time; else it had hardly any traffic."""
LEAST_MS = 500.0
"""Links are not judged in shorter casts."""
SLOW_DISK = 0.2
"""A disk is reported as slow if received data waited for memory for this share of the time."""
SPENT = ("read", "receive", "write", "forward", "wait", "blocked")
"""Kinds of activity of a node, each with a column `KIND_ns`."""

Cause = Literal["link", "disk"]


class CastRow(Struct, frozen=True):
    """A row of the table of casts (`weft.runs.columns.tables`)."""

    step: int
    launch: int
    node: int
    src: int | None
    read_ns: int
    receive_ns: int
    write_ns: int
    forward_ns: int
    wait_ns: int
    blocked_ns: int
    held_bytes: int
    received_bytes: int
    received_second_bytes: int
    sent_bytes: int
    sent_second_bytes: int
    damaged: int
    first_ns: int | None
    last_ns: int | None
    whole_ns: int | None

    @property
    def spent_ms(self) -> dict[str, float]:
        """The node's time by kind of activity."""
        spent_ns = (
            self.read_ns,
            self.receive_ns,
            self.write_ns,
            self.forward_ns,
            self.wait_ns,
            self.blocked_ns,
        )
        return {kind: ns / 1e6 for kind, ns in zip(SPENT, spent_ns, strict=True)}


@dataclass(frozen=True)
class NodeCast:
    """A node of a cast; `src` is its last predecessor, None for the source. Relative to the start of the cast,
    `first_ms` and `last_ms` are the times of its first and last chunk, and `done_ms` that at which all was on its disk;
    None if it never was. `link_mbps` is the rate while receiving, over all networks together."""

    node: str
    src: str | None
    first_ms: float | None
    last_ms: float | None
    done_ms: float | None
    link_mbps: float | None
    spent_ms: dict[str, float]
    held_bytes: int
    network_bytes: tuple[int, ...]
    damaged: int


@dataclass(frozen=True)
class SlowLink:
    """The node that limits the chain, by the link from its predecessor or by its disk."""

    node: str
    cause: Cause
    mbps: float
    others_mbps: float | None

    @property
    def text(self) -> str:
        """The finding as a sentence."""
        if self.cause == "disk":
            return f"{self.node} holds the chain back: its disk takes {self.mbps:.0f} Mb/s, and what came had to wait"
        return (
            f"{self.node} holds the chain back: {self.mbps:.0f} Mb/s come over its link, "
            f"{self.others_mbps:.0f} over those of the others"
        )


class FileCastEntry(records.FileCastRecord):
    """A cast as `weft show --json` prints it."""

    elapsed_ms: float | None
    rate_mbps: float | None
    sent_share: float
    slow: SlowLink | None
    nodes: tuple[NodeCast, ...]


@dataclass(frozen=True)
class FileCastResult:
    """A cast of a file: `rate_mbps` is its size over the time of the last node. `sent_share` is the bytes that the
    source sent over the size of the file, below 1 if compression saved traffic."""

    step: int
    launch: int
    record: records.FileCastRecord
    elapsed_ms: float | None
    rate_mbps: float | None
    sent_share: float
    slow: SlowLink | None
    nodes: tuple[NodeCast, ...]

    def to_json(self) -> FileCastEntry:
        """The entry of `weft show --json`."""
        return {
            **self.record,
            "elapsed_ms": self.elapsed_ms,
            "rate_mbps": self.rate_mbps,
            "sent_share": self.sent_share,
            "slow": self.slow,
            "nodes": self.nodes,
        }


def file_casts(run: RunFolder) -> list[FileCastResult]:
    """All casts of files of a run, in order."""
    if not run.meta.casts:
        return []
    rows = convert(run.stored_table(CASTS_NAME).to_pylist(), list[CastRow])
    names = [str(node["name"]) for node in run.meta.nodes]
    found = []
    for record in run.meta.casts:
        key = (record["step"], record["launch"])
        mine = [row for row in rows if (row.step, row.launch) == key]
        if mine:
            found.append(_file_cast(record, mine, names))
    return found


def _file_cast(
    record: records.FileCastRecord, rows: Sequence[CastRow], names: Sequence[str]
) -> FileCastResult:
    nodes = tuple(_node(row, names) for row in rows)
    receivers = [one for one in nodes if one.src is not None]
    ends = [one.done_ms for one in receivers if one.done_ms is not None]
    elapsed_ms = max(ends, default=None)
    size_bytes = record["size_bytes"]
    sent = sum(row.sent_bytes + row.sent_second_bytes for row in rows if row.src is None)
    return FileCastResult(
        step=record["step"],
        launch=record["launch"],
        record=record,
        elapsed_ms=elapsed_ms,
        rate_mbps=size_bytes * 8 / elapsed_ms / 1e3 if elapsed_ms else None,
        sent_share=sent / size_bytes,
        slow=find_slow(receivers, size_bytes, elapsed_ms) if elapsed_ms else None,
        nodes=nodes,
    )


def _node(row: CastRow, names: Sequence[str]) -> NodeCast:
    networks = (row.received_bytes, row.received_second_bytes)
    used = sum(1 for count in networks if count) or 1
    received_ms = row.receive_ns / 1e6 / used
    return NodeCast(
        node=names[row.node],
        src=None if row.src is None else names[row.src],
        first_ms=_ms(row.first_ns),
        last_ms=_ms(row.last_ns),
        done_ms=_ms(row.whole_ns),
        link_mbps=sum(networks) * 8 / received_ms / 1e3 if received_ms else None,
        spent_ms=row.spent_ms,
        held_bytes=row.held_bytes,
        network_bytes=networks[: 2 if networks[1] else 1],
        damaged=row.damaged,
    )


def _ms(at_ns: int | None) -> float | None:
    return None if at_ns is None else at_ns / 1e6


def find_slow(receivers: Sequence[NodeCast], size_bytes: int, elapsed_ms: float) -> SlowLink | None:
    """The node that limits a cast, None if there is none. Disks are checked first, because a node with a slow disk does
    not read from its link either."""
    waited = max(receivers, key=lambda one: one.spent_ms["blocked"])
    networks = len(waited.network_bytes)
    if waited.spent_ms["blocked"] > SLOW_DISK * elapsed_ms * networks:
        write_ms = waited.spent_ms["write"]
        if write_ms:
            return SlowLink(waited.node, "disk", size_bytes * 8 / write_ms / 1e3, None)
    return _slow_link(receivers, elapsed_ms)


def _slow_link(receivers: Sequence[NodeCast], elapsed_ms: float) -> SlowLink | None:
    linked = [(one.link_mbps, one) for one in receivers if one.link_mbps]
    if len(linked) < 2 or elapsed_ms < LEAST_MS:
        return None
    least, slowest = min(linked, key=lambda one: one[0])
    busy_ms = slowest.spent_ms["receive"] / len(slowest.network_bytes)
    others = median(mbps for mbps, one in linked if one is not slowest)
    is_slow = least < SLOW_LINK * others and busy_ms > BUSY_LINK * elapsed_ms
    return SlowLink(slowest.node, "link", least, others) if is_slow else None
