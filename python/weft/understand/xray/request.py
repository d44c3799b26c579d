"""Requests for experiments."""

from __future__ import annotations

from dataclasses import dataclass

from weft.runs.experiment import Experiment
from weft.understand.xray.flows import Members
from weft.understand.xray.limit.limit import SharedLimit


@dataclass(frozen=True)
class ExperimentRequest:
    """An experiment that should be repeated `rounds` more times.

    A `share` of the members take part. Flows go between the `parts`; those of a group prefer the parts next to it, and
    avoid the limits `beside` them. Each round lasts at least `seconds`, or as planned. Requests with the same `floors`
    run concurrently, with flows that these let through in any case, so that only the limit in question can slow them.
    """

    experiment: Experiment
    rounds: int
    share: float = 1.0
    parts: tuple[Members, ...] = ()
    beside: tuple[SharedLimit, ...] = ()
    seconds: float = 0.0
    floors: tuple[SharedLimit, ...] = ()
