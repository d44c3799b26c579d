"""Diagnosing a run, alone or beside a declared fabric."""

from __future__ import annotations

import os

from weft.api.diagnosis import Diagnosis
from weft.api.run import RunSource, opened
from weft.diagnosis.limits import diagnosis
from weft.diagnosis.limits.declared import DeclaredNetwork
from weft.fabrics.load import load_fabric


def diagnose(
    run: RunSource, *, fabric: str | os.PathLike[str] | None = None, scale: float | None = None
) -> Diagnosis:
    """Find shared limits, slow nodes and slow routes: `weft.diagnose("runs/aapc", fabric="two-racks").differences`.

    run: a run or its folder. fabric: the declared network (a catalogue name or a file), from which differences are
    listed. scale: multiplies its rates; by default the run's scale. Raises RequestError where one of them is wrong.
    """
    stored = opened(run).stored
    if fabric is None:
        return Diagnosis(diagnosis.diagnose(stored))
    factor = scale if scale is not None else stored.meta.testbed.get("scale", 1.0)
    declared = DeclaredNetwork(load_fabric(os.fspath(fabric), factor))
    return Diagnosis(diagnosis.diagnose(stored, declared))
