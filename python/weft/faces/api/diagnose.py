"""Diagnosing a run, alone or against a declared fabric."""

from __future__ import annotations

import os
from dataclasses import replace

from weft.faces.api.diagnosis import Diagnosis
from weft.faces.api.run import RunSource, opened
from weft.network.fabrics.load import load_fabric
from weft.runs.records.fabric_records import FabricRecord
from weft.understand.limits import diagnosis
from weft.understand.limits.declared import DeclaredNetwork
from weft.understand.limits.findings import LimitFindings
from weft.understand.limits.networks import over_networks
from weft.understand.paths.declared import path_differences


def diagnose(
    run: RunSource, *, fabric: str | os.PathLike[str] | None = None, scale: float | None = None
) -> Diagnosis:
    """Find shared limits, slow nodes and slow routes: `weft.diagnose("runs/aapc", fabric="two-racks").differences`.

    run: a run or its folder. fabric: the declared network (a catalogue name or a file), from which differences are
    listed. scale: multiplies its rates; by default the run's scale. Raises RequestError if any of them is invalid.
    """
    source = opened(run)
    if fabric is None:
        return source.diagnosis
    stored = source.stored
    factor = scale if scale is not None else stored.meta.testbed.get("scale", 1.0)
    described = load_fabric(os.fspath(fabric), factor)
    if any(step.pattern.kind == "paths" for step in stored.meta.plan.steps):
        return Diagnosis(
            _with_declared_paths(diagnosis.diagnose(stored), described), source.warnings
        )
    declared = DeclaredNetwork(described)
    return Diagnosis(diagnosis.diagnose(stored, declared), source.warnings)


def _with_declared_paths(found: LimitFindings, fabric: FabricRecord) -> LimitFindings:
    """The findings with the differences of each network, if there are several."""
    if found.networks:
        return over_networks([_with_declared_paths(one, fabric) for one in found.networks])
    number = (found.network or 1) - 1
    differences = path_differences(found.paths, fabric, number) if found.paths else []
    return replace(found, differences=differences)
