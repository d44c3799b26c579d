"""Steps whose phases are chosen during the run, by what is still undecided."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import pyarrow as pa

from weft.plan.plan import Step
from weft.run.experiment import PhaseSpec
from weft.run.meta import RunMeta


class Chooser(Protocol):
    """Decides what a step measures next. Samples are always those of the whole run so far."""

    def settle(self, samples: pa.Table) -> Step:
        """The step, with the options and size that suit what earlier steps measured."""

    def next_phases(self, samples: pa.Table, lost: set[int], elapsed_s: float) -> list[PhaseSpec]:
        """What to run next, in order, without the lost nodes; nothing when finished."""

    @property
    def summary(self) -> str:
        """Why it stopped, for people."""


Choosers = Callable[[RunMeta, int], Chooser]
"""Makes the chooser of a step of a run."""
