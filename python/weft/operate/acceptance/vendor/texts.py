"""Texts of the page: figures, verdicts, facts about symptoms and nodes."""

from __future__ import annotations

import calendar
import datetime

from markupsafe import Markup, escape

from weft.base.condition import Fact
from weft.base.quantity import format_mbps, format_us
from weft.operate.acceptance.causes import vocabulary
from weft.operate.acceptance.tables import measured_text
from weft.operate.acceptance.verdict import RequirementVerdict, Symptom
from weft.operate.preflight.record import NodeRecord
from weft.understand.drawing.figure import Figure
from weft.understand.report.facts import value_text

LEAST_SHARE = 0.005
"""Smaller shares are not shown."""


def title_of(figure: Figure) -> str:
    """The figure's title without a run's name, because there is one run of each kind."""
    if figure.name.startswith("tree"):
        return "Limits that nodes share"
    what = "Latency" if "latency" in figure.name else "Rate"
    return f"{what} of each pair, nodes by {figure.name.rpartition('-')[2]}"


def caption_of(figure: Figure) -> str:
    """The figure's caption, which for a map of pairs begins with how it was measured."""
    if figure.name.startswith("tree"):
        return figure.caption
    return f"First look: every pair once, in one launch, in rounds of disjoint pairs, with {figure.caption}"


def date_text(started: str) -> str:
    """A date of ISO 8601 in words, with its time zone: "29 November 2026, 14:23 UTC"; empty if there is none."""
    if not started:
        return ""
    when = datetime.datetime.fromisoformat(started)
    return f"{when.day} {calendar.month_name[when.month]} {when:%Y, %H:%M %Z}".rstrip()


def duration_text(elapsed_s: float) -> str:
    """474 -> "7 min 54 s"."""
    minutes, seconds = divmod(round(elapsed_s), 60)
    return f"{minutes} min {seconds} s" if minutes else f"{seconds} s"


def code(text: str) -> Markup:
    """Text with code markup for what is between backticks."""
    parts = (escape(part) for part in text.split("`"))
    return Markup("").join(
        Markup("<code>{}</code>").format(part) if number % 2 else part
        for number, part in enumerate(parts)
    )


def verdict_text(one: RequirementVerdict) -> str:
    """What was required and what was measured."""
    measured = measured_text(one)
    return f"{one.title}; measured: {measured}" if measured else one.title


def facts_text(symptom: Symptom) -> list[str]:
    """The facts with a label, without false ones and negligible shares."""
    labels = {name: one.label for name, one in vocabulary().facts.items() if one.label}
    return [
        _fact_text(labels[name], name, value)
        for name, value in symptom.facts.items()
        if name in labels and value and not (_is_share(name) and abs(float(value)) < LEAST_SHARE)
    ]


def _fact_text(label: str, name: str, value: Fact) -> str:
    if isinstance(value, bool):
        return label
    if isinstance(value, str):
        return f"{label}: {value}"
    if name.endswith("_mbps"):
        return f"{label}: {format_mbps(value)}"
    if name.endswith("_us"):
        return f"{label}: {format_us(value)}"
    return f"{label}: {100 * value:.3g} %" if _is_share(name) else f"{label}: {value:.6g}"


def _is_share(name: str) -> bool:
    return "share" in name or name.endswith("_above_others")


def node_facts(node: NodeRecord) -> list[tuple[str, str]]:
    """The facts about a node that are worth a column."""
    if node.failure:
        return [("State", node.failure)]
    interface = next(iter(node.interfaces), None)
    seen = [(label, node.facts.get(key)) for label, key in _OF_NODES]
    if interface:
        # A virtual cable states 10,000 Mb/s, whatever the lab lets through.
        hidden = "link_mbps" if interface.get("driver") == "veth" else None
        seen += [(label, interface.get(key)) for label, key in _OF_INTERFACES if key != hidden]
    return [(label, value_text(label, value)) for label, value in seen if value not in (None, "")]


_OF_NODES = (("Kernel", "kernel"), ("Processor", "cpu_model"), ("Processors", "cpus"))
_OF_INTERFACES = (
    ("Interface", "name"),
    ("Driver", "driver"),
    ("Version", "driver_version"),
    ("Firmware", "firmware"),
    ("MTU", "mtu_bytes"),
    ("Link, Mb/s", "link_mbps"),
    ("Duplex", "duplex"),
)
