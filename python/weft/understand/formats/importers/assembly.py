"""Converts the tests of another tool to a run."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count

import pyarrow as pa

from weft.base.errors import RequestError
from weft.plan.pattern import Pattern
from weft.plan.phases import expand
from weft.plan.plan import CountRule, Plan, SizeList, Step
from weft.plan.plan import Options as PlanOptions
from weft.runs.meta import RunMeta, Status
from weft.runs.records.records import ImportedFile
from weft.runs.samples import SCHEMA
from weft.understand.formats.importers.imported import (
    MOST_BYTES,
    MOST_MESSAGES,
    MOST_NS,
    Content,
    ImportOptions,
    Test,
)
from weft.understand.formats.importers.passed_over import SkippedLines
from weft.understand.formats.importers.text import Text

_MOST = (MOST_BYTES, MOST_MESSAGES, MOST_NS)


@dataclass(frozen=True)
class ImportedRun:
    """A run that is not yet on disk."""

    meta: RunMeta
    samples: pa.RecordBatch
    status: Status


def assemble(text: Text, content: Content, options: ImportOptions) -> ImportedRun:
    """A run from a file's tests; raises RequestError if they cannot form one."""
    refuse_cut(content, options)
    kept = [_carried(_measurable(test), options) for test in content.tests]
    if not any(kept_test.timings for kept_test in kept):
        raise RequestError(f"{text.path}: {_nothing(content)}", "give a file with times or rates")
    for test in kept:
        _check(test)
    steps = _steps(kept, len(content.nodes))
    meta = _meta(text, content, steps, options)
    _warn(meta, text, content, steps)
    return ImportedRun(meta, _samples(steps), "partial" if content.cut else "complete")


def refuse_cut(content: Content, options: ImportOptions) -> None:
    """Raises RequestError for a file that was cut, unless its complete results were requested and there are some."""
    cut = content.cut
    if cut is not None and not (options.partial and content.tests):
        raise cut.line.refuse(
            cut.reason,
            "measure again, or import the whole results before it with --partial"
            if content.tests
            else "measure again: there is no whole result before it",
        )


def _measurable(test: Test) -> Test:
    """The test without messages of zero bytes, which have no rate; their times go to its facts."""
    empty = [one for one in test.timings if one.size_bytes == 0]
    if not empty:
        return test
    facts = {**test.facts, "empty_message_ns": [one.elapsed_ns / one.messages for one in empty]}
    kept = [one for one in test.timings if one.size_bytes > 0]
    return replace(test, timings=kept, facts=facts)


def _carried(test: Test, options: ImportOptions) -> Test:
    """The test with the transport that the user names, if any."""
    return test if options.transport == "unknown" else replace(test, transport=options.transport)


def _nothing(content: Content) -> str:
    if content.left_out:
        return f"nothing that weft has a pattern for: only {', '.join(content.left_out)}"
    return "no results"


def _check(test: Test) -> None:
    """Raises RequestError for values that a samples table cannot hold, and for a repeated size unless it may be."""
    first: dict[tuple[int, int, int], int] = {}
    for one in test.timings:
        values = (one.size_bytes, one.messages, one.elapsed_ns)
        if not all(0 < value <= most for value, most in zip(values, _MOST, strict=True)):
            raise one.line.refuse("no size, count or time that can be")
        key = (one.size_bytes, one.src, one.dst)
        if key in first and not test.repeats:
            raise one.line.wrong(
                f"{one.size_bytes} bytes again, as on line {first[key]}, without a new header between",
                "give each output with its header: then it is another launch",
            )
        first[key] = one.line.number


@dataclass
class _Step:
    """A step of the run, with the tests of each launch."""

    plan: Step
    launches: list[list[Test]]
    nodes: int

    @property
    def tests(self) -> list[tuple[int, Test]]:
        """All tests, each with its launch."""
        return [(at, test) for at, launch in enumerate(self.launches) for test in launch]

    def phase_of(self) -> dict[tuple[int, int, int], int]:
        """The phase of each transfer: (size, source, destination) -> index."""
        if not self.plan.is_ensemble:
            assert isinstance(self.plan.sizes, SizeList)
            sizes = self.plan.sizes.bytes
            return {(size, *ends): i for i, size in enumerate(sizes) for ends in ((0, 1), (1, 0))}
        return {
            (phase.size_bytes, *transfer.ends): phase.index
            for phase in expand(self.plan, self.nodes)
            for transfer in phase.transfers
        }


def _steps(tests: Sequence[Test], nodes: int) -> list[_Step]:
    """The steps in the order of the file."""
    alike: dict[tuple[str, Pattern, str], list[Test]] = {}
    for test in tests:
        if test.timings:
            alike.setdefault((test.name, test.pattern, test.transport), []).append(test)
    return [
        _Step(_step_plan(found, at), _launches(found), nodes)
        for at, found in enumerate(alike.values())
    ]


def _launches(tests: Sequence[Test]) -> list[list[Test]]:
    """Equal tests, split into launches; a repeated size begins a new launch."""
    launches: list[list[Test]] = []
    measured: set[int] = set()
    for test in tests:
        sizes = {timing.size_bytes for timing in test.timings}
        if not launches or measured & sizes:
            launches.append([])
            measured = set()
        launches[-1].append(test)
        measured |= sizes
    return launches


def _step_plan(tests: Sequence[Test], at: int) -> Step:
    """The resolved step that describes equal tests."""
    timings = [timing for test in tests for timing in test.timings]
    return Step(
        name=f"{tests[0].name}-{at + 1}" if at else tests[0].name,
        pattern=tests[0].pattern,
        transport=tests[0].transport,
        options=PlanOptions(),
        sizes=SizeList(tuple(dict.fromkeys(timing.size_bytes for timing in timings))),
        stop=CountRule(max(one.messages for one in timings), trials=1),
        until_ns=None,
    )


def _meta(text: Text, content: Content, steps: Sequence[_Step], options: ImportOptions) -> RunMeta:
    name = text.path.name
    source: ImportedFile = {
        "format": content.format,
        "file": name,
        "convention": content.convention,
        "tests": [
            {"step": at, "launch": launch, "line": test.line.number, **test.facts}
            for at, step in enumerate(steps)
            for launch, test in step.tests
        ],
    }
    if text.label:
        source["label"] = text.label
    return RunMeta(
        plan=Plan(
            name=text.path.stem,
            title=f"imported from {content.format}, {name}",
            launches=max(len(step.launches) for step in steps),
            steps=tuple(step.plan for step in steps),
        ),
        testbed={"kind": "import", "name": name, "scale": 1.0, "fabric": None},
        nodes=[
            {"name": node, "address": "", "facts": dict(content.node_facts.get(node, {}))}
            for node in content.nodes
        ],
        statistic=content.statistic,
        source=source,
    )


def _warn(meta: RunMeta, text: Text, content: Content, steps: Sequence[_Step]) -> None:
    kept = {"best": "the best trial", "mean": "the mean", "batch": "each time"}[content.statistic]
    if meta.plan.launches == 1:
        meta.warn(
            "one-launch",
            f"the file keeps {kept} of a single launch: intervals have no width, and no "
            "difference, mode or dip can be proven",
            "import a file with the outputs of several runs one after the other, or measure with `weft run`",
        )
    if any("empty_message_ns" in test.facts for step in steps for _, test in step.tests):
        meta.warn(
            "no-bytes",
            "messages of 0 bytes have no rate: their times are in run.json, not among the samples",
        )
    if content.left_out:
        meta.warn(
            "left-out",
            f"weft has no pattern for {', '.join(dict.fromkeys(content.left_out))}: left out",
        )
    others = SkippedLines(list(text.others)).warnings(f"what has the label {text.label}")
    for warning in [*content.warnings, *others]:
        meta.warn(*warning)
    if content.cut is not None:
        number, reason = content.cut.line.number, content.cut.reason
        meta.warn("file-cut", f"line {number} and all after it are missing: {reason}")


def _samples(steps: Sequence[_Step]) -> pa.RecordBatch:
    rows = []
    for at, step in enumerate(steps):
        phase_of = step.phase_of()
        for launch, test in step.tests:
            batches: defaultdict[tuple[int, int, int], Iterator[int]] = defaultdict(count)
            for one in test.timings:
                key = (one.size_bytes, one.src, one.dst)
                place = (at, phase_of[key], launch, next(batches[key]), one.src, one.dst)
                rows.append((*place, one.size_bytes, one.messages, one.start_ns, one.elapsed_ns))
    columns = dict(zip(SCHEMA.names, zip(*rows, strict=True), strict=True))
    return pa.RecordBatch.from_pydict(columns, schema=SCHEMA)
