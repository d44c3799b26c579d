"""Activity of the host for each message, as tables."""

from __future__ import annotations

from weft.base.interval import Interval
from weft.faces.cli.tables.layout import print_table, terminal
from weft.understand.host.evidence import EvidencePoints
from weft.understand.tables.evidence import WORDS, evidence_table


def print_evidence(found: EvidencePoints) -> None:
    """Print a table for each step, with a row for each size and end, and what was not read below."""
    console = terminal()
    if not found.points:
        console.print("nothing was recorded beside these samples")
        return
    for step in sorted({point.step for point in found.points}):
        points = [each for each in found.points if each.step == step]
        what = f"{points[0].pattern} over {points[0].transport}"
        title = f"{what}: ns and counts of a message one way, medians over launches"
        print_table(console, evidence_table(points).titled(title).without_zeros(Interval))
    console.print(WORDS, soft_wrap=True)
    for node, missing in found.missing.items():
        reasons = "; ".join(f"{one['counters']} ({one['reason']})" for one in missing)
        console.print(f"{node}: not recorded: {reasons}", soft_wrap=True)
