"""A search that chooses during a run what to measure next, until all is decided or its time is up."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

import pyarrow as pa
from msgspec.structs import replace

from weft.plan.pattern import Search
from weft.plan.plan import Step
from weft.runs.experiment import PhaseSpec
from weft.runs.meta import RunMeta
from weft.understand.xray.survey import Survey, survey_of
from weft.understand.xray.windows import with_windows


class TimedSearch(ABC):
    """Conducts a step of a run; deterministic in the samples it is shown, so that a resumed run goes on."""

    aim: ClassVar[str] = "everything was decided"

    def __init__(self, meta: RunMeta, step: int) -> None:
        self._meta, self._index = meta, step
        self._time_s = meta.plan.steps[step].pattern_as(Search).time_ns / 1e9
        self._is_late = False

    def settle(self, samples: pa.Table) -> Step:
        """The step with windows that fill the path a few times over, unless the plan has set them or no rates are
        known."""
        options = with_windows(self._step.options, self._survey(samples, set()))
        return replace(self._step, options=options)

    @property
    def summary(self) -> str:
        """Why the search stopped; empty when everything was decided."""
        if not self._is_late:
            return ""
        return f"its time of {self._time_s:g} s was up before {self.aim}"

    def next_phases(self, samples: pa.Table, lost: set[int], elapsed_s: float) -> list[PhaseSpec]:
        """What to run next; nothing when all is decided or the time is up."""
        specs = self._wanted(samples, lost)
        self._is_late = bool(specs) and elapsed_s >= self._time_s
        return [] if self._is_late else specs

    @abstractmethod
    def _wanted(self, samples: pa.Table, lost: set[int]) -> list[PhaseSpec]:
        """What would be decided by more."""

    @property
    def _step(self) -> Step:
        return self._meta.plan.steps[self._index]

    def _survey(self, samples: pa.Table, lost: set[int]) -> Survey:
        return survey_of(samples, self._meta, self._index, frozenset(lost))
