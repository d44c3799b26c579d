"""What a run still lacks."""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from weft.plan.phases import expand
from weft.run.meta import RunMeta


@dataclass(frozen=True)
class MissingStep:
    """The phases of one step that one launch has not measured."""

    step: int
    launch: int
    phases: list[int]


def missing_steps(meta: RunMeta, samples: pa.Table) -> list[MissingStep]:
    """All that is missing, in the order in which it would run.

    A phase counts as measured when any of its batches reached the disk: whole phases are handed over.
    """
    found = []
    for launch in range(meta.plan["launches"]):
        for index in range(len(meta.plan["steps"])):
            if [index, launch] in meta.done:
                continue
            have = measured_phases(samples, index, launch)
            phases = [phase for phase in _known_phases(meta, index, launch) if phase not in have]
            found.append(MissingStep(index, launch, phases))
    return found


def _known_phases(meta: RunMeta, index: int, launch: int) -> list[int]:
    """Phases that the plan has, or that were chosen for the step during the run."""
    planned = [phase["index"] for phase in expand(meta.plan["steps"][index], len(meta.nodes))]
    key = {"step": index, "launch": launch}
    return planned + [phase["phase"] for phase in meta.phases if phase.items() >= key.items()]


def measured_phases(samples: pa.Table, step: int, launch: int) -> set[int]:
    """The phases of a step that have samples in a launch."""
    rows = samples.filter((pc.field("step") == step) & (pc.field("launch") == launch))
    return set(rows.column("phase").unique().to_pylist())
