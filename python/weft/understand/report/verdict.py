"""The result of a run in one sentence."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator

from weft.base.alike import listed
from weft.base.interval import Interval
from weft.base.quantity import format_mbps, format_us, full_size, range_bytes, range_mbps, range_us
from weft.plan.pattern import Search
from weft.runs.folder import RunFolder
from weft.understand.curve.points import CurvePoint
from weft.understand.curve.stops import ASSUMED, beside_earlier, difference_text, stop_line
from weft.understand.curve.thresholds import threshold_lines
from weft.understand.curve.uncertain import uncertainty
from weft.understand.host.disturbed import not_usable
from weft.understand.kinds.kind import ApplicationStep
from weft.understand.report.applications import application_steps
from weft.understand.report.ensemble import EnsembleRun, ensembles_of
from weft.understand.report.phase_sentences import phase_sentences
from weft.understand.report.series import CurveSeries, series_of
from weft.understand.tables.signature import certainty

MAX_NAMED = 8
"""The most sizes that are named; the rest are counted, and marked in figures and table."""


def verdict(run: RunFolder) -> str:
    """The run's verdict: a sentence for each of its steps, each on a line."""
    sentences = [sentence(one) for one in series_of([run])]
    sentences += [ensemble_sentence(one) for one in ensembles_of([run.directory.name], [run])]
    for one in application_steps([run.directory.name], [run]):
        sentences += [found_sentence(one), *one.details]
    return "\n".join(sentences or [nothing_measured(run)])


def answer(run: RunFolder) -> list[str]:
    """What a run came to, in lines: its verdict, and how long its steps between many nodes took."""
    return [*verdict(run).splitlines(), *phase_sentences(run)]


def disturbed_sentence(run: RunFolder) -> str:
    """Why a disturbed run allows no conclusions; empty if it does."""
    reason = not_usable(run.meta)
    return (
        f"Disturbed: {reason}. What follows is the machine's and proves nothing." if reason else ""
    )


def doubts(run: RunFolder) -> list[str]:
    """Why nothing can be concluded from a run, or why its numbers are too uncertain to use; empty if they can be
    used."""
    if disturbed := disturbed_sentence(run):
        return [disturbed]
    found = [(subject(one), uncertainty(one.signature)) for one in series_of([run])]
    said = [(name, text) for name, text in found if text]
    return [text if len(found) == 1 else f"{name}: {text}" for name, text in said]


def next_command(run: RunFolder) -> str:
    """The command that says more about a run, with what it says."""
    folder = shlex.quote(str(run.directory))
    if run.meta.status == "partial":
        return f"next: weft run --resume {folder}   # measures what is missing"
    if any(True for _ in run.meta.plan.steps_of(Search)):
        return f"next: weft diagnose {folder}   # limits, slow nodes and slow routes"
    return f"next: weft show {folder}   # the numbers; weft report: the figures"


def sentence(one: CurveSeries) -> str:
    """The place, result and confidence, for example "n1 to n2 over TCP on pair: 28 µs latency, ..."."""
    statistic = one.run.meta.statistic
    of = "" if statistic == "batch" else f", each value is the {statistic} of several trials"
    sure = f"{certainty(one.signature)}{of}.{_status(one.run)}"
    return f"{subject(one)}: {', '.join(findings(one))}; {sure}"


def ensemble_sentence(one: EnsembleRun) -> str:
    """The place, and the findings between the nodes."""
    return f"{endpoints(one.run)}{_place(one.run)}: {one.findings.verdict}{_status(one.run)}"


def found_sentence(one: ApplicationStep) -> str:
    """The place, and the result of an application."""
    subject = (one.kind.subject or endpoints)(one.run)
    said = f": {one.clause}" if one.clause else ""
    return f"{subject}{_place(one.run)}{said}.{_status(one.run)}"


def nothing_measured(run: RunFolder) -> str:
    """The sentence for a run without a single sample."""
    return f"{endpoints(run)}{_place(run)}: nothing was measured.{_status(run)}"


def subject(one: CurveSeries) -> str:
    """The nodes, transport, testbed and direction of a curve."""
    over = _OVER.get(one.transport, f"over {one.transport.upper()}")
    way = _WAYS.get(one.pattern, "")
    return f"{endpoints(one.run)} {over}{_place(one.run)}{way}"


_STREAMED = ("stream", "exchange")
_WAYS = {"stream": ", streaming one way", "exchange": ", streaming both ways at once"}
_OVER = {
    "mpi": "over MPI",
    "tcp-busy-poll": "over TCP with busy polling",
    "tcp-striped": "over striped TCP",
    "tcp-uring": "over TCP through io_uring",
    "tcp-zerocopy": "over zero-copy TCP",
    "null": "without a network",
    "shm": "through shared memory",
    "unix": "over a Unix socket",
    "unknown": "over an unnamed transport",
}


def endpoints(run: RunFolder) -> str:
    """The nodes of a run: "n1 to n2", "n1 alone", "64 nodes"."""
    names = [str(node["name"]) for node in run.meta.nodes]
    if len(names) == 2:
        return f"{names[0]} to {names[1]}"
    return f"{names[0]} alone" if len(names) == 1 else f"{len(names)} nodes"


def findings(one: CurveSeries) -> list[str]:
    """The numbers with their intervals; missing numbers are stated, not left out."""
    found = one.signature
    timed = [
        _found(found.latency_us, lambda x: _named(range_us(x), "latency"), "no latency"),
        _found(found.saturation_bytes, lambda x: f"saturates at {range_bytes(x)}", "not saturated"),
    ]
    rates = [
        _found(found.peak_mbps, lambda x: _named(range_mbps(x), "peak"), "no peak"),
        _found(
            found.half_power_bytes,
            lambda x: f"half of it from {range_bytes(x)}",
            "half of it at every size",
        ),
    ]
    # A stream has no latency of its own, and so no saturation point either.
    return rates if one.pattern in _STREAMED else [timed[0], *rates, timed[1]]


def _named(range_text: str, name: str) -> str:
    """Inserts a name between a value and its range: "28 µs latency (27 to 29)"."""
    value, bracket, rest = range_text.partition(" (")
    return f"{value} {name}{bracket}{rest}"


def _found(value: Interval | None, say: Callable[[Interval], str], otherwise: str) -> str:
    return otherwise if value is None else say(value)


def _place(run: RunFolder) -> str:
    name = run.meta.testbed.get("name")
    scale = float(run.meta.testbed.get("scale") or 1.0)
    scaled = "" if scale == 1.0 else f" at {scale:g} of its rates"
    return f" on {name}{scaled}" if name else ""


def _status(run: RunFolder) -> str:
    return {
        "complete": "",
        "partial": " The run is partial: some of the plan was not measured.",
        "failed": " The run failed: this is what was measured before.",
    }[run.meta.status]


def standouts(one: CurveSeries) -> list[str]:
    """A sentence for each kind of oddity the curve has."""
    dips = [_dip(point) for point in one.points if point.dip]
    several = [_modes(point) for point in one.points if point.modes.count > 1]
    at_dips = {point.size_bytes for point in one.points if point.dip}
    changes = threshold_lines([t for t in one.thresholds if not at_dips & {*t.found.inside}])
    sentences = (
        *_stops(one),
        ("Dips: ", dips),
        ("Several modes: ", several),
        ("Thresholds: ", changes),
    )
    found = [start + listed(names, MAX_NAMED, "; ") + "." for start, names in sentences if names]
    return found + [f"{explanation.text}." for explanation in one.explanations[:MAX_NAMED]]


def _stops(one: CurveSeries) -> Iterator[tuple[str, list[str]]]:
    """Why the sizes of a curve ended, and which of them differ from an earlier run."""
    meta, step = one.run.meta, one.curve.step
    if line := stop_line(meta, step):
        yield "Stopped: ", [line]
    differing = [each for each in beside_earlier(meta, step) if each["reason"] == "differs"]
    if meta.against:
        texts = [
            f"{full_size(each['size_bytes'])} is {difference_text(each)}" for each in differing
        ]
        yield f"Beside {meta.against['path']}, {ASSUMED}: ", texts


def _dip(point: CurvePoint) -> str:
    expected = point.expected_mbps
    reached = format_mbps(point.throughput_mbps.median)
    promised = f" where its neighbours promise {format_mbps(expected.median)}" if expected else ""
    return f"{full_size(point.size_bytes)} reaches {reached}{promised}"


def _modes(point: CurvePoint) -> str:
    times = " or ".join(format_us(time) for time in point.modes.locations)
    return f"{full_size(point.size_bytes)} takes {times}"
