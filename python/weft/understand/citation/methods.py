"""How a run was measured, as a paragraph for a paper, written from what the run recorded."""

from __future__ import annotations

import datetime
from collections import Counter
from collections.abc import Iterator

import pyarrow.compute as pc

from weft.base.nodeset import fold
from weft.base.quantity import exact_bytes, exact_mbps, format_us
from weft.plan.plan import Step, TimeRule
from weft.runs.folder import RunFolder
from weft.runs.meta import RunMeta
from weft.runs.records.records import NodeEntry
from weft.understand.citation.run_digest import RunDigest
from weft.understand.curve.signature import signature
from weft.understand.summary.all_warnings import warnings_of
from weft.understand.tables.signature import certainty

_PLACES = {
    "lab": "in network namespaces of one machine that emulate the fabric {}",
    "vm": "in virtual machines connected as the fabric {}",
    "sim": "simulated on the fabric {}",
    "node": "simulated inside two nodes of the machine {}",
    "local": "between two processes of one machine",
}
_COMPUTED = ("sim", "node")
_PATTERNS = {
    "pingpong": "a ping-pong",
    "stream": "a stream one way",
    "exchange": "streams both ways at once",
    "alltoall": "an all-to-all",
    "xray": "an adaptive search for shared limits",
}
_SETTINGS = {
    "congestion": "congestion control {}",
    "mss_bytes": "segments of {} B",
    "send_buffer_bytes": "send buffers of {} B",
    "receive_buffer_bytes": "receive buffers of {} B",
}
"""What TCP was read to have used, in words."""


def method(run: RunFolder, digest: RunDigest | None) -> str:
    """The paragraph: where, when and with what, each step, statistics, settings, what puts it in doubt, the data."""
    meta = run.meta
    sentences = [
        _what(meta),
        *_machines(meta),
        *(_step(run, number, step) for number, step in enumerate(meta.plan.steps)),
        _statistics(run),
        *_settings(meta),
        *_doubts(run),
        *([f"The SHA-256 digest of the run's files is {digest.sha256}"] if digest else []),
    ]
    return " ".join(f"{sentence}." for sentence in sentences)


def place(meta: RunMeta) -> str:
    """Where it ran: "on 4 nodes (n[1-4])", "simulated on the fabric two-racks, links shared by max-min"."""
    if meta.source:
        return f"imported from results of {meta.source['format']}"
    testbed = meta.testbed
    known = _PLACES.get(str(testbed.get("kind")))
    if known is None:
        return f"on {len(meta.nodes)} nodes ({fold(meta.node_names)})"
    scale = float(testbed.get("scale") or 1.0)
    scaled = f", its rates multiplied by {scale:g}" if scale != 1 else ""
    sharing = testbed.get("model", {}).get("sharing")
    shared = f", links shared by {sharing}" if sharing else ""
    return f"{known.format(testbed.get('name', ''))}{scaled}{shared}"


def when(meta: RunMeta) -> str:
    """The day: "29 November 2026"; empty if it was not recorded."""
    if not meta.started:
        return ""
    day = datetime.datetime.fromisoformat(meta.started)
    return f"{day.day} {day:%B %Y}"


def _what(meta: RunMeta) -> str:
    day = f" on {when(meta)}" if when(meta) else ""
    with_version = f" {meta.weft_version}" if meta.weft_version else ""
    done = "was run with" if not meta.source else "was read by"
    return f"The plan {meta.plan.name} {done} weft{with_version}{day}, {place(meta)}"


def _machines(meta: RunMeta) -> Iterator[str]:
    """Processors, system and interface of the nodes, equal ones together."""
    described = Counter(filter(None, map(_machine, meta.nodes)))
    if described:
        yield "; ".join(
            f"{_counted(count, 'node')} had {text}" for text, count in described.items()
        )


def _machine(node: NodeEntry) -> str:
    facts = node.get("facts") or {}
    parts = [
        f"{facts['cpus']} processors {facts.get('cpu_model', '')}".strip()
        if facts.get("cpus")
        else "",
        f"Linux {facts['kernel']}" if facts.get("kernel") else "",
        *_interface(node),
    ]
    return ", ".join(filter(None, parts))


def _interface(node: NodeEntry) -> Iterator[str]:
    """The driver, rate and MTU of the interface that carried the data; a veth has no rate of its own."""
    facts = node.get("facts") or {}
    for one in facts.get("interfaces", ()):
        device = facts.get("devices", {}).get(one["name"], {})
        if node.get("address") in one["addresses"] and device:
            rate = device.get("link_mbps")
            has_rate = rate and device.get("driver") != "veth"
            shown = f" at {exact_mbps(rate)}" if has_rate else ""
            yield f"an interface of driver {device.get('driver') or 'unknown'}{shown}"
            yield f"an MTU of {device.get('mtu_bytes')} B"


def _step(run: RunFolder, number: int, step: Step) -> str:
    pattern = _PATTERNS.get(step.pattern.kind, f"the pattern {step.pattern.kind}")
    rule = step.stop
    each = (
        format_us(rule.trial_ns / 1e3)
        if isinstance(rule, TimeRule)
        else _counted(rule.repeats, "message")
    )
    often = f"{_counted(rule.trials, 'trial')} of {each}"
    return f"Step {step.name} was {pattern} over {_transport(step)}: {_sizes(run, number)}{often}"


def _counted(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def _transport(step: Step) -> str:
    return step.transport.upper() if len(step.transport) <= 3 else step.transport


def _sizes(run: RunFolder, number: int) -> str:
    """Sizes that were measured: "85 sizes from 1 B to 64 KiB, "; empty if there are none."""
    samples = run.samples
    sizes = pc.unique(samples.filter(pc.field("step") == number)["size_bytes"])
    if not len(sizes):
        return ""
    low, high = pc.min_max(sizes).as_py().values()
    if low == high:
        return f"messages of {exact_bytes(low)}, "
    return f"{len(sizes)} sizes from {exact_bytes(low)} to {exact_bytes(high)}, "


def _statistics(run: RunFolder) -> str:
    meta = run.meta
    if meta.testbed.get("kind") in _COMPUTED:
        return "The simulation is deterministic: a repetition gives the same numbers"
    if meta.source:
        return f"Values are the {meta.statistic} of what the tool printed"
    found = signature(run)
    launches = certainty(found) if found else f"{meta.plan.launches} launches"
    return (
        "The unit of repetition is a launch with fresh processes and connections; values are medians over launches "
        f"of the median in each, with intervals between order statistics: {launches}"
    )


def _settings(meta: RunMeta) -> Iterator[str]:
    """What the kernel was read to have used, where it was one value throughout."""
    read = [one["settings"] for one in meta.effective]
    told = []
    for key, text in _SETTINGS.items():
        values = {str(one[key]) for one in read if one.get(key) is not None}
        if len(values) == 1:
            told.append(text.format(values.pop()))
    if told:
        yield f"The kernel used {', '.join(told)}"


def _doubts(run: RunFolder) -> Iterator[str]:
    meta = run.meta
    if meta.status != "complete":
        yield f"The run is {meta.status}: not all of the plan was measured"
    if warned := warnings_of(run):
        yield f"weft warned: {'; '.join(one.message for one in warned)}"
