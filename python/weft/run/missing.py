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

    A phase counts as measured when any of its batches reached the disk: agents hand over whole phases.
    """
    found = []
    for launch in range(meta.plan["launches"]):
        for index, step in enumerate(meta.plan["steps"]):
            if [index, launch] in meta.done:
                continue
            have = measured_phases(samples, index, launch)
            all_phases = [phase["index"] for phase in expand(step, len(meta.nodes))]
            phases = [phase for phase in all_phases if phase not in have]
            found.append(MissingStep(index, launch, phases))
    return found


def measured_phases(samples: pa.Table, step: int, launch: int) -> set[int]:
    """The phases of a step that have samples in a launch."""
    rows = samples.filter((pc.field("step") == step) & (pc.field("launch") == launch))
    return set(rows.column("phase").unique().to_pylist())
