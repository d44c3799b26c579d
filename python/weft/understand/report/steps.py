"""The insides of nodes, prepared for figures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from weft.runs.folder import RunFolder
from weft.understand.node.occupation import Budget, Busy, budgets, occupation


@dataclass(frozen=True)
class Inside:
    """A run on node:MACHINE; each of its steps is drawn separately."""

    label: str
    run: RunFolder

    @cached_property
    def busy(self) -> list[Busy]:
        """Occupation by step, size, node and part."""
        return occupation(self.run)

    @cached_property
    def budgets(self) -> list[Budget]:
        """Budgets of ping-pongs by step and size."""
        return budgets(self.run)

    @cached_property
    def steps(self) -> list[int]:
        """The steps that have each size once, not under several loads."""
        phases = {(busy.step, busy.phase): busy.size_bytes for busy in self.busy}
        often = Counter((step, size_bytes) for (step, _), size_bytes in phases.items())
        steps = {step for step, _ in phases}
        return sorted(steps - {step for (step, _), count in often.items() if count > 1})

    def label_of(self, step: int) -> str:
        """The label of a step: the run's label, with the name of the step if there are several."""
        plan_steps = [one.name for one in self.run.meta.plan.steps]
        if len(self.steps) == 1:
            return self.label
        numbered = f" ({step + 1})" if plan_steps.count(plan_steps[step]) > 1 else ""
        return f"{self.label} · {plan_steps[step]}{numbered}"


def insides_of(names: Sequence[str], runs: Sequence[RunFolder]) -> list[Inside]:
    """The runs that record the insides of their nodes."""
    found = [Inside(name, run) for name, run in zip(names, runs, strict=True)]
    return [one for one in found if one.steps]
