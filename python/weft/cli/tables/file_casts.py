"""Casts of files as text."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Console
from rich.table import Table

from weft.cli.tables.layout import number, plain_table, titled
from weft.diagnosis.file_casts import SPENT, FileCast
from weft.runs.meta import RunMeta


def print_file_casts(found: list[FileCast], meta: RunMeta, console: Console) -> None:
    """What each cast came to, and its nodes."""
    for one in found:
        several = f", launch {one.launch + 1}" if meta.plan.launches > 1 else ""
        title = f"{meta.plan.steps[one.step].name}{several}: {_rate(one)}"
        titled(console, title, *_lines(one), _table(one))


def _rate(one: FileCast) -> str:
    size = f"{one.record['file']}, {one.record['size_bytes']:,} B"
    if one.elapsed_ms is None or one.rate_mbps is None:
        return f"{size}, no node has it"
    count = len(one.record["whole"])
    return f"{size}, to {count} nodes in {one.elapsed_ms / 1e3:.3g} s, {number(one.rate_mbps)} Mb/s"


def _lines(one: FileCast) -> Iterator[str]:
    record = one.record
    if record["hash"]:
        yield f"BLAKE3 {record['hash']}, the same on all {len(record['whole']) + 1} nodes that have it"
    for failed in record["failed"]:
        yield f"failed   {failed['node']}: {failed['reason']}"
    if record["bridged"]:
        yield f"bridged  {', '.join(record['bridged'])}"
    if one.slow:
        yield f"slow     {one.slow.text}"
    if one.sent_share < 1:
        yield f"sent     {one.sent_share:.0%} of the file's bytes left the source"


def _table(one: FileCast) -> Table:
    table = plain_table("node", "from", "has it after s", "held, B", "Mb/s of link", *_headings())
    for node in one.nodes:
        done = "" if node.done_ms is None else number(node.done_ms / 1e3)
        link = "" if node.link_mbps is None else number(node.link_mbps)
        spent = [number(node.spent_ms[kind] / 1e3) for kind in SPENT]
        row = (node.node, node.src or "", done, str(node.held_bytes), link, *spent)
        table.add_row(*row)
    return table


def _headings() -> list[str]:
    return [f"{kind} s" for kind in SPENT]
