"""Findings as text: limits, slow parts, and missing parts of a run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from weft.base.nodeset import fold, fold_names
from weft.base.quantity import format_mbps, format_us, range_mbps
from weft.runs.folder import RunFolder
from weft.runs.records.records import Incomplete, LostNode
from weft.understand.limits.findings import LimitFinding, LimitFindings, SlowPart
from weft.understand.report.table import PageTable
from weft.understand.tables.limits import folded_tables

MOST_REASONS = 20
"""The most reasons for incomplete phases that are named; the rest are counted."""


def limit_lines(limits: Sequence[LimitFinding]) -> list[str]:
    """Two lines for each limit of one group: its capacity, and the interval.

    Equal limits out and in share their lines.
    """
    lines: dict[tuple[str, str], list[str]] = {}
    for limit in sorted(limits, key=lambda limit: limit.direction, reverse=True):
        way = "from" if limit.direction == "in" else "to"
        others = f" {way} {fold(limit.against)}" if limit.against else ""
        value, _, known = range_mbps(limit.capacity_mbps).partition(" (")
        text = f"{value}{others}, {limit.oversubscription:.1f}x"
        lines.setdefault((text, known), []).append(limit.direction)
    return [
        line
        for (text, known), directions in lines.items()
        for line in (f"{' and '.join(directions)} {text}", known.removesuffix(")"))
        if line
    ]


def findings_tables(findings: LimitFindings) -> list[PageTable]:
    """Limits and slow parts, each with its evidence."""
    return list(map(PageTable.of, folded_tables(findings)))


def slow_text(slow: SlowPart) -> str:
    """A slow part in short form: "n6 in 9.4 Mb/s"."""
    return " ".join(filter(None, (slow.name, slow.direction, format_mbps(slow.rate_mbps.median))))


def remarks(run: RunFolder, findings: LimitFindings) -> list[str]:
    """Open questions, differences from the declared network, and missing parts."""
    return [
        *(f"Undecided: {text}" for text in fold_names(findings.undecided)),
        *(
            f"Differs from the declared network: {text}"
            for text in fold_names(findings.differences)
        ),
        *_lost(run),
        *_incomplete(run),
    ]


def clocks_table(run: RunFolder) -> PageTable:
    """The offset of each node's clock from the run's; clocks that agree within the error are left out."""
    rows = [
        [
            str(entry["node"]),
            format_us(entry["offset_ns"] / 1e3),
            format_us(entry["error_ns"] / 1e3),
        ]
        for entry in run.meta.clocks
        if abs(entry["offset_ns"]) > entry["error_ns"]
    ]
    return PageTable(["Node", "Offset of its clock", "Error of that"], rows)


def _lost(run: RunFolder) -> Iterator[str]:
    for entry in run.meta.lost:
        phase = "" if entry["phase"] is None else f", phase {entry['phase']}"
        yield f"Lost: {entry['node']}, {_where(run, entry, phase)}: {entry['reason']}"


def _incomplete(run: RunFolder) -> Iterator[str]:
    """The incomplete phases, grouped by reason."""
    together: dict[tuple[str, str, str], list[int]] = {}
    for entry in run.meta.incomplete:
        cause = (_where(run, entry), fold(entry["nodes"]), entry["reason"])
        together.setdefault(cause, []).append(entry["phase"])
    listed = list(together.items())[:MOST_REASONS]
    for (step, nodes, reason), phases in listed:
        without = f" without {nodes}" if nodes else ""
        yield f"Incomplete: {step}, {_phases_text(phases)}{without}: {reason}"
    more = len(run.meta.incomplete) - sum(len(phases) for _, phases in listed)
    if more > 0:
        yield f"Incomplete: {more} more phases."


def _phases_text(phases: Sequence[int]) -> str:
    """For example "phase 4" or "phases 0-62"."""
    numbers = fold(str(phase) for phase in sorted(phases)).strip("[]")
    return f"phase {numbers}" if len(set(phases)) == 1 else f"phases {numbers}"


def _where(run: RunFolder, entry: LostNode | Incomplete, phase: str = "") -> str:
    """Step, phase and, if the plan has several, the launch."""
    step = run.meta.plan.steps[entry["step"]].name
    several = run.meta.plan.launches > 1
    launch = f", launch {entry['launch']}" if several else ""
    return f"step {step}{phase}{launch}"
