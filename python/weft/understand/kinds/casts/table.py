"""Casts of files as tables: the result of each, and when each node had the file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from weft.base.table import ResultColumn, ResultTable
from weft.plan.pattern import Cast
from weft.runs.meta import RunMeta
from weft.understand.kinds.casts.cast import SPENT, FileCastResult, NodeCast

WORTH_WHILE = 0.9
"""Compression is worthwhile if at most this share of a file is sent."""


def _seconds(name: str, label: str, ms: str) -> ResultColumn:
    def read(one: NodeCast) -> float | None:
        value: float | None = getattr(one, ms)
        return None if value is None else value / 1e3

    return ResultColumn(name, label, read=read, spec=".2f")


def _spent(kind: str) -> ResultColumn:
    return ResultColumn(f"{kind}_s", kind, read=lambda one: one.spent_ms[kind] / 1e3, spec=".2f")


SECONDS = ResultColumn(
    "elapsed_s", "time", read=lambda one: None if one.elapsed_ms is None else one.elapsed_ms / 1e3
)
RATE = ResultColumn("rate_mbps", "rate")
SENT = ResultColumn("sent_share", "left the source", read=lambda one: one.sent_share)
_CASTS = (
    ResultColumn("step", "step", int, shown="data"),
    ResultColumn("launch", "launch", int, shown="data"),
    ResultColumn("size_bytes", "size", int, lambda one: one.record["size_bytes"]),
    ResultColumn("nodes", "nodes that have it", int, lambda one: len(one.record["whole"])),
    SECONDS,
    RATE,
    SENT,
)
NODES = (
    ResultColumn("node", "node", str),
    ResultColumn("src", "predecessor", str),
    _seconds("done_s", "has it", "done_ms"),
    ResultColumn("link_mbps", "link"),
    *map(_spent, SPENT),
    ResultColumn("held_bytes", "held", int, lambda one: one.held_bytes or None),
)


def casts_table(found: Sequence[FileCastResult]) -> ResultTable:
    """A row for each cast."""
    return ResultTable.of("casts of files", _CASTS, found)


def nodes_table(found: Sequence[FileCastResult], meta: RunMeta) -> ResultTable:
    """A row for each node of each cast."""
    return ResultTable.joined(
        [(name_of(one, meta), _of_nodes(one)) for one in found],
        "when each node had the file, and what it did",
        label="cast",
    )


def name_of(one: FileCastResult, meta: RunMeta) -> str:
    """The step, and the launch if there are several."""
    several = f", launch {one.launch + 1}" if meta.plan.launches > 1 else ""
    return f"{meta.plan.steps[one.step].name}{several}"


def short_table(name: str, found: Sequence[FileCastResult], meta: RunMeta) -> ResultTable:
    """The result of a cast, and its nodes."""
    (one,) = found
    return _of_nodes(one, f"{name}: {_rate(one)}", tuple(_lines(one, meta)))


def _of_nodes(one: FileCastResult, title: str = "", lines: Sequence[str] = ()) -> ResultTable:
    return ResultTable.of(title, NODES, one.nodes, lines)


def _rate(one: FileCastResult) -> str:
    size = f"{one.record['file']}, {one.record['size_bytes']:,} B"
    if one.elapsed_ms is None or one.rate_mbps is None:
        return f"{size}, no node has it"
    return f"{size}, {came_to(one)}"


def came_to(one: FileCastResult) -> str:
    """For example "to 3 nodes in 1.200 s, 94.12 Mb/s"."""
    took, rate = (column.cell(column.of(one)) for column in (SECONDS, RATE))
    return f"to {len(one.record['whole'])} nodes in {took} s, {rate} Mb/s"


def _lines(one: FileCastResult, meta: RunMeta) -> Iterator[str]:
    record = one.record
    yield "times of two networks add up"
    if record["hash"]:
        yield f"BLAKE3 {record['hash']}, the same on all {len(record['whole']) + 1} nodes that have it"
    for failed in record["failed"]:
        yield f"failed   {failed['node']}: {failed['reason']}"
    if record["bridged"]:
        yield f"bridged  {', '.join(record['bridged'])}"
    if one.slow:
        yield f"slow     {one.slow.text}"
    if one.sent_share < 1 and not any(node.held_bytes for node in one.nodes):
        yield f"sent     {SENT.text(one.sent_share)} % of the file's bytes left the source{_of_compression(one, meta)}"


def _of_compression(one: FileCastResult, meta: RunMeta) -> str:
    """Whether compression was worthwhile, in words; empty without compression."""
    file = meta.plan.steps[one.step].pattern_as(Cast).file
    if not file or not file.compress:
        return ""
    return f": {file.compress} {'paid' if one.sent_share < WORTH_WHILE else 'hardly paid'}"
