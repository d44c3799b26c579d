"""Casts of files as text."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Console
from rich.table import Table

from weft.cli.tables.layout import plain_table, titled
from weft.diagnosis.file_casts import SPENT, FileCast
from weft.quantity import number
from weft.runs.meta import RunMeta

WORTH_WHILE = 0.9
"""Compression pays where no more than so much of a file travels."""


def print_file_casts(found: list[FileCast], meta: RunMeta, console: Console) -> None:
    """What each cast came to, and its nodes."""
    for one in found:
        several = f", launch {one.launch + 1}" if meta.plan.launches > 1 else ""
        title = f"{meta.plan.steps[one.step].name}{several}: {_rate(one)}"
        titled(
            console,
            title,
            *_lines(one, meta),
            "times in s; those of two networks add up",
            _table(one),
        )


def _rate(one: FileCast) -> str:
    size = f"{one.record['file']}, {one.record['size_bytes']:,} B"
    if one.elapsed_ms is None or one.rate_mbps is None:
        return f"{size}, no node has it"
    count = len(one.record["whole"])
    return f"{size}, to {count} nodes in {one.elapsed_ms / 1e3:.3g} s, {number(one.rate_mbps)} Mb/s"


def _lines(one: FileCast, meta: RunMeta) -> Iterator[str]:
    record = one.record
    if record["hash"]:
        yield f"BLAKE3 {record['hash']}, the same on all {len(record['whole']) + 1} nodes that have it"
    for failed in record["failed"]:
        yield f"failed   {failed['node']}: {failed['reason']}"
    if record["bridged"]:
        yield f"bridged  {', '.join(record['bridged'])}"
    if one.slow:
        yield f"slow     {one.slow.text}"
    if one.sent_share < 1 and not any(node.held_bytes for node in one.nodes):
        yield f"sent     {one.sent_share:.0%} of the file's bytes left the source{_of_compression(one, meta)}"


def _of_compression(one: FileCast, meta: RunMeta) -> str:
    """Whether it paid."""
    file = meta.plan.steps[one.step].cast_file
    if not file or not file.compress:
        return ""
    return f": {file.compress} {'paid' if one.sent_share < WORTH_WHILE else 'hardly paid'}"


def _table(one: FileCast) -> Table:
    """Times in seconds; those of several networks add up."""
    has_held = any(node.held_bytes for node in one.nodes)
    extra = ("held, B",) if has_held else ()
    table = plain_table("node", "from", "has it", "link Mb/s", *SPENT, *extra)
    for node in one.nodes:
        done = "" if node.done_ms is None else _seconds(node.done_ms)
        link = "" if node.link_mbps is None else number(node.link_mbps)
        spent = [_seconds(node.spent_ms[kind]) for kind in SPENT]
        held = (str(node.held_bytes),) if has_held else ()
        table.add_row(node.node, node.src or "", done, link, *spent, *held)
    return table


def _seconds(ms: float) -> str:
    return f"{ms / 1e3:.2f}"
