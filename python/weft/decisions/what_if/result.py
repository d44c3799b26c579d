"""The result of a what-if, as it is printed and stored."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from weft.base.interval import Interval
from weft.runs.run_warnings import RunWarning, lines
from weft.runs.work_document import WorkDocument

SCHEMA = 1


class PredictedEffect(Struct, frozen=True):
    """One step at one message size before and after. All intervals are 90 % intervals.

    `speedup` is a ratio of times if each phase moves a fixed amount, of rates if a trial lasts a fixed time, as `by`
    says. `is_clear`: its interval excludes 1. `in_sample`: the twin was fitted to this plan.
    """

    plan: str
    step: str
    size_bytes: int
    by: Literal["time", "rate"]
    speedup: Interval
    is_clear: bool
    before_s: Interval
    after_s: Interval
    difference_s: Interval
    before_mbps: Interval
    after_mbps: Interval
    difference_mbps: Interval
    in_sample: bool = False


class Check(Struct, frozen=True):
    """A speedup that was predicted at a scale and measured in labs: `measured` is the median over pairs of launches,
    one before and one after, with their range. `error` is measured over predicted, minus one. Ends are before and
    after, in seconds or Mb/s, medians over launches."""

    plan: str
    step: str
    size_bytes: int
    by: Literal["time", "rate"]
    predicted: Interval
    measured: Interval
    error: float
    same_sign: bool
    predicted_ends: tuple[float, float]
    measured_ends: tuple[float, float]


class LabVerification(Struct, frozen=True):
    """Measurements of an alternative in labs. `run_warnings` are theirs, and `warnings` the same as text; if there are
    `doubts`, the machine may have been measured."""

    scale: float
    launches: int
    checks: tuple[Check, ...]
    warnings: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()
    run_warnings: tuple[RunWarning, ...] = ()


class PriceChange(Struct, frozen=True):
    """The network's price before and after, without nodes; `not_priced` are parts that count as free. A part costs the
    same at any speed, unless the prices say otherwise."""

    currency: str
    year: int
    before: float
    after: float
    difference: float
    not_priced: tuple[str, ...] = ()


class AlternativeOutcome(Struct, frozen=True):
    """The effect of one alternative; `failed` says why it is unknown. `speedup` is the geometric mean over steps and
    sizes of their medians. `notes` say where a prediction goes beyond the measurements."""

    name: str
    changes: tuple[str, ...]
    effects: tuple[PredictedEffect, ...] = ()
    speedup: float | None = None
    hosts_before: int = 0
    hosts_after: int = 0
    notes: tuple[str, ...] = ()
    price: PriceChange | None = None
    failed: str | None = None
    verification: LabVerification | None = None


class WhatIfResult(Struct, frozen=True):
    """All alternatives, the most effective first. Without `draws` the network is taken from its file. `warnings` are
    those of the twin's runs and of the labs; `doubts` are about the twin."""

    schema: int
    subject: str
    is_measured: bool
    draws: int
    scale: float
    plans: tuple[str, ...]
    outcomes: tuple[AlternativeOutcome, ...]
    warnings: tuple[RunWarning, ...] = ()
    doubts: tuple[str, ...] = ()

    @property
    def warned(self) -> list[str]:
        """All warnings, each once; files of earlier builds have only texts from the labs."""
        checked = (one.verification for one in self.outcomes if one.verification)
        return lines(self.warnings) or [text for one in checked for text in one.warnings]


WHAT_IF = WorkDocument("what-if.json", WhatIfResult, "weft what-if", SCHEMA)


def with_outcomes(found: WhatIfResult, outcomes: Sequence[AlternativeOutcome]) -> WhatIfResult:
    """The result with the measurements of labs, and their warnings."""
    checked = [one.verification for one in outcomes if one.verification]
    warnings = (one for each in checked for one in each.run_warnings)
    return replace(found, outcomes=tuple(outcomes), warnings=(*found.warnings, *warnings))
