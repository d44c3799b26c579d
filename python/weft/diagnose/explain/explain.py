"""Explains a run by the evidence that was recorded beside its samples."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa

from weft.diagnose.curve import Curve, curves
from weft.diagnose.explain.contrast import contrasts
from weft.diagnose.explain.finding import Explanation
from weft.diagnose.explain.kink import kinks
from weft.diagnose.explain.limited import limits
from weft.diagnose.explain.moved import allowed_error, explain_contrast
from weft.diagnose.explain.signals import signals
from weft.diagnose.explain.stretches import of_step
from weft.diagnose.points import curve_points
from weft.diagnose.thresholds import curve_thresholds
from weft.run.folder import Run
from weft.run.tables import EVIDENCE_NAME


def explain(run: Run) -> list[Explanation]:
    """What explains the limits, modes, dips, jumps, kinks and outliers of a run between two nodes, the surest first.

    What the kernel states of whole steps comes first, then what moved with slow parts, then what nothing explains.
    Empty for a run without evidence, and between many nodes.
    """
    if all(step.is_ensemble for step in run.meta.plan.steps):
        return []
    evidence = run.side_table(EVIDENCE_NAME)
    if evidence.num_rows == 0:
        return []
    found = [one for curve in curves(run) for one in _of_curve(run, curve, evidence)]
    return sorted(found, key=lambda one: (one.cause is None, one.kind != "limit"))


def _of_curve(run: Run, curve: Curve, evidence: pa.Table) -> Iterator[Explanation]:
    stretches = of_step(run, evidence, curve.step)
    if stretches is None:
        return
    found = signals(run, stretches)
    yield from limits(run, curve, stretches, found)
    step = run.meta.plan.steps[curve.step].name
    seen = curve_points(curve), curve_thresholds(run, curve), stretches
    slow = [*contrasts(*seen), *kinks(*seen)]
    for contrast in slow:
        yield explain_contrast(step, contrast, found, stretches, allowed_error(len(slow)))
