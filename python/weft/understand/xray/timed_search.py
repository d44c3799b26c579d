"""A search that chooses during a run what to measure next, until all is decided or its time is up."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

import numpy as np
import pyarrow as pa
from msgspec.structs import replace

from weft.plan.pattern import Search
from weft.plan.plan import Options, Step
from weft.runs.experiment import PhaseSpec
from weft.runs.meta import RunMeta
from weft.understand.xray.survey import Survey, survey_of

PRODUCTS = 4
"""Bandwidth-delay products of a window; with one, a path is full only while nothing is late."""
FAR = 2.0
"""If the median round trip exceeds the nearest ones by this factor, windows hold fewer bandwidth-delay products, down
to one over this factor: it may be long because many cross a narrow link at once, and data in flight then takes longer
to drain than a trial lasts."""
NEAREST_QUANTILE = 0.1
"""A quantile, because the fastest round trip may be that of the only two nodes that are so near."""
LEAST_WINDOW_BYTES, MOST_WINDOW_BYTES = 24 << 10, 4 << 20
"""A smaller window does not fill a port of 10 Mb/s in both directions at once; Linux allows no larger one
(tcp_wmem)."""


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


def with_windows(options: Options, survey: Survey) -> Options:
    """The options with buffers of a few bandwidth-delay products, unless the plan sets them or no rate is known."""
    window = window_bytes(survey)
    if not window or not (options.send_buffer_bytes is None is options.receive_buffer_bytes):
        return options
    return replace(options, send_buffer_bytes=window, receive_buffer_bytes=window)


def window_bytes(survey: Survey) -> int | None:
    """A few bandwidth-delay products of the survey's median path; None if it measured no rates or round trips."""
    rate_mbps = np.nanmedian(survey.send_mbps) if np.isfinite(survey.send_mbps).any() else 0.0
    trips_us = survey.trips.fastest_us
    if not rate_mbps or len(trips_us) == 0:
        return None
    nearest_us, usual_us = np.quantile(trips_us, [NEAREST_QUANTILE, 0.5])
    products = PRODUCTS * np.clip(FAR * nearest_us / usual_us, 1 / FAR, 1)
    window = float(products * rate_mbps * usual_us / 8)
    return int(np.clip(window, LEAST_WINDOW_BYTES, MOST_WINDOW_BYTES))
