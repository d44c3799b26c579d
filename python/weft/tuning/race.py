"""A race of candidate settings on a testbed: paired blocks, losers dropped, the winner confirmed in fresh blocks."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from msgspec import Struct

from weft.errors import WorkError
from weft.execute.progress import Reporter
from weft.interval import Interval
from weft.plan.load import PlanSource

Ended = Literal["one-left", "equal", "time", "interrupted"]
"""Why a race ended: one candidate is left, all that are left are equal within the margin, or its time was over."""


class Candidate(Struct, frozen=True):
    """Settings that are raced together, by knob name (as in `weft list knobs`); none are the settings as they are."""

    name: str
    settings: dict[str, str] = {}


class Rules(Struct, frozen=True):
    """When a race ends. `margin` is the least ratio that matters, less one; `time_s` is for race and confirmation
    together; the order of candidates in each block follows from `seed`, where one is given."""

    margin: float = 0.01
    time_s: float = 60.0
    confirm: bool = True
    seed: int | None = None


USUAL = Rules()


class Place(Struct, frozen=True):
    """How a candidate did: `ratio` is how many times as good as the baseline it was (over 1 is better), by the blocks
    of the race; None for the baseline, and for one that was never measured. `dropped_after` is the number of blocks
    after which it was dropped, and `why` says why, in words; None and "" of one that was there at the end."""

    name: str
    ratio: Interval | None
    blocks: int
    dropped_after: int | None = None
    why: str = ""
    failed: bool = False


class Confirmation(Struct, frozen=True):
    """A finalist against the baseline in blocks that the race did not use; `is_better` when the interval of the ratio,
    which holds with all but one in a thousand, excludes everything up to 1 + margin."""

    name: str
    ratio: Interval
    blocks: int
    is_better: bool


class RaceResult(Struct, frozen=True):
    """What a race found. `winner` is the baseline where no other is known to be better (`recommended` is False then);
    `leader` is the candidate that was ahead when the race ended, confirmed or not. `effect` is the winner's ratio over
    the baseline, from the confirmation alone. `folder` is the run."""

    baseline: str
    winner: str
    leader: str
    recommended: bool
    effect: Interval | None
    places: tuple[Place, ...]
    confirmations: tuple[Confirmation, ...]
    ended: Ended
    blocks: int
    seconds: float
    folder: Path


def carry_out(
    testbed: str,
    candidates: Sequence[Candidate],
    goal: PlanSource,
    folder: Path,
    rules: Rules = USUAL,
    reporter: Reporter | None = None,
) -> RaceResult:
    """Race candidates, the first of which is the baseline, for a `goal`: "stream", "latency", "mixed", or a plan.

    The run is in `folder`; where there is one, it goes on where it was. A candidate that fails (a setting that is
    refused, an agent that ends) is dropped and the race goes on. Raises RequestError, and WorkError where the baseline
    fails.
    """
    raise WorkError("this build cannot race yet")
