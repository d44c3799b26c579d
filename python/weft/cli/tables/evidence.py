"""What the host did for each message, as tables."""

from __future__ import annotations

from collections.abc import Iterator

from rich.table import Table

from weft.cli.tables.layout import plain_table, terminal, titled
from weft.diagnosis.evidence import Evidence, PointEvidence
from weft.quantity import number

COLUMNS = {
    "user_ns": ("user", number),
    "system_ns": ("system", number),
    "softirq_ns": ("softirq", number),
    "ns_per_byte": ("ns/B", number),
    "interrupts": ("interrupts", "{:.3g}".format),
    "softirqs": ("softirqs", "{:.3g}".format),
    "switches": ("switches", "{:.2g}".format),
    "drops": ("drops", "{:.0f}".format),
    "retransmits": ("resent", "{:.0f}".format),
    "receive_window_share": ("window", "{:.0%}".format),
    "send_buffer_share": ("buffer", "{:.0%}".format),
    "network_share": ("network", "{:.0%}".format),
}
"""The heading of each measure, and how its values look."""


def print_evidence(found: Evidence) -> None:
    """A table for each step, a row for each size and end; what was not read is said below."""
    console = terminal()
    if not found.points:
        console.print("nothing was recorded beside these samples")
        return
    for step in sorted({point.step for point in found.points}):
        points = [each for each in found.points if each.step == step]
        what = f"{points[0].pattern} over {points[0].transport}"
        title = f"{what}: ns and counts of a message one way, medians over launches"
        titled(console, title, _table(points))
    for line in _notes(found):
        console.print(line, soft_wrap=True)


def _table(points: list[PointEvidence]) -> Table:
    """A column for each measure that is not 0 everywhere."""
    shown = [name for name in COLUMNS if any(_value(point, name) for point in points)]
    has_parts = any(point.part for point in points)
    table = plain_table(
        "bytes", *["part"] * has_parts, "node", *(COLUMNS[name][0] for name in shown)
    )
    for point in sorted(points, key=lambda one: (one.size_bytes, one.phase, one.node)):
        place = [str(point.size_bytes), *[point.part] * has_parts, point.node]
        table.add_row(*place, *(_cell(point, name) for name in shown))
    return table


def _value(point: PointEvidence, name: str) -> float | None:
    return point.measures[name].median if name in point.measures else None


def _cell(point: PointEvidence, name: str) -> str:
    value = _value(point, name)
    return "" if value is None else COLUMNS[name][1](value)


def _zeros(found: Evidence) -> list[str]:
    """The measures that are 0 everywhere."""
    values = {name: [_value(point, name) for point in found.points] for name in COLUMNS}
    known = {name: [one for one in some if one is not None] for name, some in values.items()}
    return [COLUMNS[name][0] for name, some in known.items() if some and not any(some)]


def _notes(found: Evidence) -> Iterator[str]:
    yield (
        "user, system and switches are the agent's own, over MPI the rank's (the kernel tells user from "
        "system by ticks), ns/B is its time for a byte; softirq (in steps of 10 ms), softirqs, "
        "interrupts and drops are the host's. The peer's "
        "window, the own buffer, the network: the share of time for which TCP had data and they held it up, of "
        "launches of 0.1 s or more at a size. Drops and resent segments are of a launch."
    )
    if zeros := _zeros(found):
        yield f"0 everywhere: {', '.join(zeros)}"
    for node, missing in found.missing.items():
        yield f"{node}: not recorded: " + "; ".join(
            f"{one['counters']} ({one['reason']})" for one in missing
        )
