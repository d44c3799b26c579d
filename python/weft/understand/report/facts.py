"""The circumstances of a run as tables: nodes, settings, the probe's overhead, how to repeat it."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping, Sequence
from itertools import compress, groupby
from typing import Any

from weft.base.nodeset import fold
from weft.base.quantity import format_us, full_size
from weft.base.table import ResultTable
from weft.plan.plan import Plan, Step, to_data
from weft.runs.folder import RunFolder
from weft.runs.guests import guests_text
from weft.runs.records.records import Effective, Headroom, ImportedFile, TestbedRecord
from weft.understand.curve.delivery import deliveries
from weft.understand.report.series import CurveSeries
from weft.understand.report.table import PageTable
from weft.understand.tables.points import deliveries_table
from weft.understand.tables.points import points_table as table_of_points

MOST_COLUMNS = 8
"""The most nodes for which a column each fits on a page."""

ALL = "In effect"


def run_facts(run: RunFolder) -> list[tuple[str, str]]:
    """Plan, testbed, time, folder: facts that fit on one line, as (label, text)."""
    meta = run.meta
    testbed = " ".join(str(meta.testbed[key]) for key in ("kind", "name") if meta.testbed.get(key))
    facts = [
        ("Plan", _plan_text(meta.plan)),
        ("Testbed", testbed),
        ("Scale", _scale_text(meta.testbed.get("scale"))),
        ("Sharing", _sharing_text(meta.testbed)),
        ("Guests", guests_text(meta.testbed)),
        ("Headroom", _headroom_text(meta.testbed.get("headroom"))),
        ("Source", _source_text(meta.source)),
        ("Started", meta.started),
        ("Status", meta.status),
        ("Folder", str(run.directory)),
        ("weft", meta.weft_version),
    ]
    return [(label, text) for label, text in facts if text]


def nodes_table(run: RunFolder) -> PageTable:
    """The nodes with every fact that any of them recorded."""
    facts = _keys(node.get("facts") or {} for node in run.meta.nodes)
    rows = [
        [str(node["name"]), str(node.get("address") or "")]
        + [value_text(key, (node.get("facts") or {}).get(key, "")) for key in facts]
        for node in run.meta.nodes
    ]
    return _without_empty_columns(PageTable(["Node", "Address", *map(label_text, facts)], rows))


def settings_table(run: RunFolder) -> PageTable:
    """Requested and effective settings side by side; settings that changed between launches show every value.

    Empty if no settings were read back, as in imported runs.
    """
    steps = run.meta.plan.steps if run.meta.effective else []
    nodes = [str(node["name"]) for node in run.meta.nodes]
    headers = ["Setting", "Step", "Asked for", *(nodes if len(nodes) <= MOST_COLUMNS else [ALL])]
    rows = [row for index, step in enumerate(steps) for row in _step_rows(run, index, step)]
    return PageTable(headers, rows)


def timing_table(run: RunFolder) -> PageTable:
    """The cost of reading the clock and of one turn of the empty loop, for each node's agent."""
    rows = [
        [
            str(entry["node"]),
            *(_nanoseconds(entry.get(key)) for key in ("clock_read_ns", "loop_ns")),
        ]
        for entry in run.meta.timing
    ]
    return PageTable(["Node", "Reading the clock", "One turn of the empty loop"], rows)


def delivery_table(run: RunFolder) -> PageTable:
    """A row for each size of each step; empty if no messages could be lost."""
    steps = groupby(deliveries(run), lambda one: one.step)
    named = [(run.meta.plan.steps[at].name, deliveries_table(list(found))) for at, found in steps]
    return PageTable.of(ResultTable.joined(named, label="step"))


def points_table(one: CurveSeries) -> PageTable:
    """Every size with its time, its throughput and its oddities."""
    return PageTable.of(table_of_points(one.points))


def repeat_command(run: RunFolder) -> str:
    """The command that made the run, or, if it is not recorded, one that would repeat it."""
    if run.meta.command:
        return shlex.join(run.meta.command)
    if run.meta.source:
        tool, _, _ = run.meta.source["format"].partition("-")
        return shlex.join(["weft", "import", tool, run.meta.source["file"]])
    testbed = run.meta.testbed
    place = f"{testbed.get('kind', 'lab')}:{testbed.get('name', '')}"
    return shlex.join(["weft", "run", run.meta.plan.name, "--on", place])


def label_text(key: str) -> str:
    """A key as a label, without its unit suffix, since the value shows the unit."""
    for unit in ("_bytes", "_ns", "_us"):
        key = key.removesuffix(unit)
    special = {"cpu": "CPU", "cpus": "CPUs", "cpu_model": "CPU model", "mss": "Segment size (MSS)"}
    return special.get(key, key.replace("_", " ").capitalize())


def value_text(key: str, value: Any) -> str:
    """A value as text; None means that the system chooses the value."""
    if value is None:
        return "default"
    if isinstance(value, bool):
        return "on" if value else "off"
    if key.endswith("bytes") and isinstance(value, int | float):
        return full_size(int(value))
    if isinstance(value, list):
        return ", ".join(value_text(key, item) for item in value)
    if isinstance(value, dict):
        return " ".join(f"{name} {value_text(name, item)}" for name, item in value.items())
    return str(value)


def _without_empty_columns(table: PageTable) -> PageTable:
    full = [any(row[i] for row in table.rows) for i in range(len(table.headers))]
    return PageTable(
        list(compress(table.headers, full)), [list(compress(row, full)) for row in table.rows]
    )


def _plan_text(plan: Plan) -> str:
    title = f" ({plan.title})" if plan.title else ""
    steps = ", ".join(step.name for step in plan.steps)
    return f"{plan.name}{title}: {steps}"


def _scale_text(scale: Any) -> str:
    return "" if scale in (None, 1, 1.0) else f"every rate times {scale:g}"


def _sharing_text(testbed: TestbedRecord) -> str:
    """How flows shared a simulated network; empty for other testbeds."""
    sharing = (testbed.get("model") or {}).get("sharing")
    names = {"max-min": "max-min fairness", "reno": "TCP Reno, frame by frame"}
    return names.get(str(sharing), "")


def _headroom_text(headroom: Headroom | None) -> str:
    """The idle time of a lab's forwarder, in words; empty if it was not recorded."""
    if not headroom:
        return ""
    return (
        f"the lab's forwarder was idle {100 * headroom['mean']:.0f} % of the time, "
        f"{100 * headroom['least']:.0f} % in the busiest of {headroom['seconds']} s"
    )


def _source_text(source: ImportedFile | None) -> str:
    pairs = (source or {}).items()
    return ", ".join(f"{label_text(key)}: {value_text(key, value)}" for key, value in pairs)


def _step_rows(run: RunFolder, index: int, step: Step) -> list[list[str]]:
    options = to_data(step.options)
    effective = [entry for entry in run.meta.effective if entry["step"] == index]
    nodes = [str(node["name"]) for node in run.meta.nodes]
    rows = []
    for key in _keys([options, *(entry["settings"] for entry in effective)]):
        asked = value_text(key, options[key]) if key in options else ""
        values = [_effective_text(key, node, effective) for node in nodes]
        if len(nodes) > MOST_COLUMNS:
            values = [_by_value(nodes, values)]
        rows.append([label_text(key), step.name, asked, *values])
    return rows


def _by_value(nodes: Sequence[str], values: Sequence[str]) -> str:
    """The value of all nodes, or each value with its nodes."""
    having: dict[str, list[str]] = {}
    for node, value in zip(nodes, values, strict=True):
        having.setdefault(value, []).append(node)
    if len(having) == 1:
        return values[0]
    return "; ".join(f"{value or 'nothing'} on {fold(names)}" for value, names in having.items())


def _effective_text(key: str, node: str, effective: Iterable[Effective]) -> str:
    seen: dict[str, list[int]] = {}
    for entry in effective:
        if entry["node"] == node and key in entry["settings"]:
            text = value_text(key, entry["settings"][key])
            seen.setdefault(text, []).append(entry["launch"])
    if len(seen) == 1:
        return next(iter(seen))
    return "; ".join(
        f"{text} in launch {', '.join(map(str, launches))}" for text, launches in seen.items()
    )


def _keys(mappings: Iterable[Mapping[str, Any]]) -> list[str]:
    return list(dict.fromkeys(key for mapping in mappings for key in mapping))


def _nanoseconds(value_ns: Any) -> str:
    return "" if value_ns is None else format_us(value_ns / 1e3)
