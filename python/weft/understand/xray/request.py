"""What the search should try next."""

from __future__ import annotations

from dataclasses import dataclass

from weft.runs.experiment import Experiment
from weft.understand.xray.flows import Members
from weft.understand.xray.limit.limit import SharedLimit


@dataclass(frozen=True)
class ExperimentRequest:
    """An experiment that should be repeated `rounds` more times.

    `share` of the members take part. Flows go between the `parts`; those of a group go to the parts that are next to
    it first, and should stay clear of the limits `beside` them. Each round lasts `seconds` at least, or as the plan
    says. Requests with the same `floors` run at the same time, with flows that these let through for sure: no other
    limit than the one in question can then hold them up.
    """

    experiment: Experiment
    rounds: int
    share: float = 1.0
    parts: tuple[Members, ...] = ()
    beside: tuple[SharedLimit, ...] = ()
    seconds: float = 0.0
    floors: tuple[SharedLimit, ...] = ()
