"""Explains a run by the evidence that was recorded with its samples."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa

from weft.runs.columns.tables import EVIDENCE_NAME
from weft.runs.folder import RunFolder
from weft.understand.curve.curve import Curve, curves
from weft.understand.curve.points import curve_points
from weft.understand.curve.thresholds import curve_thresholds
from weft.understand.explain.contrast import contrasts
from weft.understand.explain.departures import departures
from weft.understand.explain.finding import NOTHING, SET_FIRST, Explanation
from weft.understand.explain.kink import kinks
from weft.understand.explain.limited import limits
from weft.understand.explain.moved import allowed_error, explain_contrast
from weft.understand.explain.path_mtu import explain_holes
from weft.understand.explain.signals import signals
from weft.understand.explain.stretches import of_step

FIRST = ("setting", "limit")


def explain(run: RunFolder) -> list[Explanation]:
    """Explanations of the limits, modes, dips, jumps, kinks and outliers of a run between two nodes, the surest first.

    The order is: settings that differ from the hosts' defaults, limits of whole steps that the kernel states, counters
    that changed with slow parts, harmless causes, and unexplained parts. Steps between many nodes, and runs without
    evidence, have settings only.
    """
    found = departures(run)
    if all(step.is_ensemble or step.is_program for step in run.meta.plan.steps):
        return found
    is_set = bool(found)
    found += explain_holes(run)
    evidence = run.side_table(EVIDENCE_NAME)
    if evidence.num_rows:
        found += [one for curve in curves(run) for one in _of_curve(run, curve, evidence, is_set)]
    return sorted(found, key=_rank)


def _rank(one: Explanation) -> tuple[bool, bool, int]:
    place = FIRST.index(one.kind) if one.kind in FIRST else len(FIRST)
    return one.cause is None, one.is_harmless, place


def _of_curve(
    run: RunFolder, curve: Curve, evidence: pa.Table, is_set: bool
) -> Iterator[Explanation]:
    stretches = of_step(run, evidence, curve.step)
    if stretches is None:
        return
    found = signals(run, stretches)
    yield from limits(run, curve, stretches, found)
    step = run.meta.plan.steps[curve.step].name
    seen = curve_points(curve), curve_thresholds(run, curve), stretches
    slow = [*contrasts(*seen), *kinks(*seen)]
    for contrast in slow:
        otherwise = SET_FIRST if is_set and contrast.kind != "outliers" else NOTHING
        yield explain_contrast(
            step, contrast, found, stretches, allowed_error(len(slow)), otherwise
        )
