"""What the host did for each message of a size, as the report shows it."""

from __future__ import annotations

from collections import defaultdict

from weft.interval import Interval
from weft.quantity import format_us, significant
from weft.report.series import Series

NAMES = {
    "user_ns": "Processor time of the agent, in user mode, per message",
    "system_ns": "Processor time of the agent, in the kernel, per message",
    "softirq_ns": "Processor time in softirqs, of the host, per message",
    "waiting_ns": "Agent waiting for a processor, per message",
    "ns_per_byte": "Processor time of the agent, per byte",
    "interrupts": "Interrupts of the interface, per message",
    "softirqs": "Network softirqs of the host, per message",
    "switches": "Context switches of the agent, per message",
    "drops": "Frames lost by the host, per launch",
    "retransmits": "Segments sent again, per launch",
    "receive_window_share": "Time held up by the peer's window",
    "send_buffer_share": "Time held up by the send buffer",
    "network_share": "Time held up by the network",
}
"""What each measure is called, in the order of the table."""


def evidence_rows(one: Series) -> dict[int, list[list[str]]]:
    """By size: the headings, then a row for each measure with a column for each node; none without evidence."""
    nodes = list(dict.fromkeys(point.node for point in one.evidence))
    found: dict[int, dict[str, dict[str, str]]] = defaultdict(lambda: defaultdict(dict))
    for point in one.evidence:
        for name, value in point.measures.items():
            found[point.size_bytes][name][point.node] = _text(name, value)
    return {
        size: [["Median over launches", *nodes]]
        + [
            [NAMES[name], *(by_node.get(node, "") for node in nodes)]
            for name in NAMES
            if (by_node := measures.get(name))
        ]
        for size, measures in found.items()
    }


def moved_rows(one: Series, size_bytes: int) -> list[list[str]]:
    """The counters that explain something at a size: in slow batches beside fast ones; none where none do."""
    rows = [
        [f"{each.counter}, {each.where} ({each.unit})", significant(each.slow, 3), _fast(each.fast)]
        for explanation in one.explanations
        if size_bytes in explanation.sizes_bytes
        for each in explanation.evidence
    ]
    return [["What moved", "Slow", "Fast"], *rows] if rows else []


def _fast(value: float | None) -> str:
    return "" if value is None else significant(value, 3)


def _text(name: str, value: Interval) -> str:
    """The median and, where they differ, the ends of its interval."""
    low, middle, high = (_one(name, each) for each in (value.low, value.median, value.high))
    return middle if low == high else f"{middle} ({low} to {high})"


def _one(name: str, value: float) -> str:
    if name.endswith("_share"):
        return f"{100 * value:.0f} %"
    if name.endswith("_ns") or name == "ns_per_byte":
        return format_us(value / 1e3) if value else "0"
    return significant(value, 3)
