"""Builds a what-if: the networks before and after as labs, with the same plans on both, launch by launch in turn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from weft.base.errors import RequestError, WorkError
from weft.base.statistics import median_interval
from weft.decisions.what_if.alternative import Alternative
from weft.decisions.what_if.effects import paired
from weft.decisions.what_if.foresee import WhatIfQuestion, foresee
from weft.decisions.what_if.labs import document_of, for_lab
from weft.decisions.what_if.result import Check, LabVerification, PredictedEffect
from weft.measure.execute.options.run_options import RunOptions
from weft.measure.execute.progress import Reporter
from weft.measure.execute.request import RunRequest, start_run
from weft.plan.load import load_plan
from weft.runs.folder import RunFolder
from weft.runs.run_warnings import RunWarning, doubts, lines, of_runs
from weft.runs.work_document import write
from weft.simulation.prediction.predict import PlannedWorkload
from weft.understand.summary.measures import StepMeasure, measures, program_measures

LAUNCHES = 3
NO_EFFECT = 0.02
"""A smaller effect has no direction: repeated measurements of one lab differ by as much."""


@dataclass(frozen=True)
class Bench:
    """How labs are measured: a folder for files and runs, the labs' scale, and the number of launches."""

    folder: Path
    scale: float
    launches: int = LAUNCHES


def verify(
    question: WhatIfQuestion, one: Alternative, bench: Bench, reporter: Reporter | None = None
) -> LabVerification:
    """Build and measure an alternative; raises RequestError if no lab can be built of it.

    It is predicted at the labs' scale. The labs are measured alternately, so that disturbances by the machine affect
    both.
    """
    if one.parameters:
        raise RequestError(
            f"{one.name}: a lab has its machine's own {', '.join(one.parameters)}",
            "verify changes of the network",
        )
    scaled = WhatIfQuestion(question.subject, [one], question.workloads, bench.scale)
    predicted = foresee(scaled).outcomes[0]
    labs = _build(question, one, bench)
    launches = [_launch(labs, bench, number, reporter) for number in range(1, bench.launches + 1)]
    checks = [check for each in predicted.effects if (check := _check(each, launches))]
    if not checks:
        raise WorkError(f"{one.name}: the labs measured nothing that was predicted")
    warnings = [one for launch in launches for one in launch.warnings]
    return LabVerification(
        bench.scale,
        bench.launches,
        tuple(checks),
        tuple(lines(warnings)),
        doubts(warnings),
        tuple(warnings),
    )


@dataclass(frozen=True)
class _Lab:
    """A fabric's file, and what runs on it."""

    fabric: Path
    workloads: Sequence[PlannedWorkload]


_Place = tuple[str, str, int]
"""A plan, a step and a message size."""


@dataclass(frozen=True)
class _Launch:
    """One launch on each lab."""

    found: Mapping[_Place, tuple[StepMeasure, StepMeasure]]
    warnings: tuple[RunWarning, ...]


def _build(question: WhatIfQuestion, one: Alternative, bench: Bench) -> tuple[_Lab, _Lab]:
    before = question.subject.median
    documents = [document_of(network) for network in (before, one.after(before))]
    paths = bench.folder / "before.toml", bench.folder / "after.toml"
    for path, document in zip(paths, documents, strict=True):
        write(path, for_lab(document, bench.scale).text.encode())
    changed = [one.workload(each) for each in question.workloads]
    return _Lab(paths[0], question.workloads), _Lab(paths[1], changed)


def _launch(
    labs: tuple[_Lab, _Lab], bench: Bench, number: int, reporter: Reporter | None
) -> _Launch:
    sides = [
        [_measured(lab.fabric, each, bench, number, reporter) for each in lab.workloads]
        for lab in labs
    ]
    found = {
        (before.meta.plan.name, pair[0].step, pair[0].size_bytes): pair
        for before, after in zip(*sides, strict=True)
        for pair in paired(*([*measures(one), *program_measures(one)] for one in (before, after)))
    }
    return _Launch(found, of_runs(run for runs in sides for run in runs))


def _measured(
    fabric: Path, workload: PlannedWorkload, bench: Bench, number: int, reporter: Reporter | None
) -> RunFolder:
    overrides = [*workload.overrides, ("launches", "1")]
    plan = load_plan(workload.plan, overrides).name
    out = str(bench.folder / f"{plan}-{fabric.stem}-{number}")
    on = f"lab:{fabric}"
    request = RunRequest(
        workload.plan, on, RunOptions(out=out, scale=bench.scale, settings=dict(overrides))
    )
    run = start_run(request, reporter)
    if run.meta.status != "complete":
        raise WorkError(f"{out}: the run in the lab ended {run.meta.status}")
    return run


def _check(effect: PredictedEffect, launches: Sequence[_Launch]) -> Check | None:
    place = (effect.plan, effect.step, effect.size_bytes)
    found = [
        (_value(effect, before), _value(effect, after))
        for before, after in (one.found[place] for one in launches if place in one.found)
    ]
    if not found:
        return None
    is_time = effect.by == "time"
    measured = median_interval([b / a if is_time else a / b for b, a in found])
    ends = (effect.before_s, effect.after_s) if is_time else (effect.before_mbps, effect.after_mbps)
    return Check(
        *place,
        effect.by,
        effect.speedup,
        measured,
        measured.median / effect.speedup.median - 1,
        direction(measured.median) == direction(effect.speedup.median),
        (ends[0].median, ends[1].median),
        (median(before for before, _ in found), median(after for _, after in found)),
    )


def _value(effect: PredictedEffect, measure: StepMeasure) -> float:
    return measure.time_s if effect.by == "time" else measure.rate_mbps


def direction(speedup: float) -> int:
    """1 if it is faster, -1 if slower, 0 if equal."""
    if abs(speedup - 1) < NO_EFFECT:
        return 0
    return 1 if speedup > 1 else -1
