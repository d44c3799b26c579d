"""Warnings about trials whose slow-downs may be invalid."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pyarrow as pa

from weft.base.quantity import format_bytes
from weft.plan.pattern import Interference
from weft.runs.meta import RunMeta, Warning
from weft.understand.kinds.interference.shared import shared_limits
from weft.understand.kinds.interference.trials import ALONE, WHOLE, VictimTrial, trials

_MORE = 4
"""The factor by which a hint increases the messages of a congestor that ended early."""


def notes(meta: RunMeta, laps: pa.Table, step: int, pattern: Interference) -> list[Warning]:
    """Warnings about congestors that ended before the victim, or that share no limit with it."""
    found = [one for one in trials(meta, laps, step, pattern) if one.congestor != ALONE]
    return [*_early(meta, step, pattern, found), *_apart(meta, step, pattern, found)]


def _early(
    meta: RunMeta, step: int, pattern: Interference, found: Iterable[VictimTrial]
) -> Iterator[Warning]:
    name = meta.plan.steps[step].name
    early = [(one.congestor, one.size_bytes) for one in found if one.covered < WHOLE]
    for congestor, size in dict.fromkeys(early):
        yield Warning(
            "congestor-ended",
            f"{name}: {congestor} had sent all of its messages before the {pattern.victim} of {format_bytes(size)} "
            "had ended, so that the slow-down is too small",
            f"let it send more: --set steps.{name}.messages={_MORE * pattern.messages}",
        )


def _apart(
    meta: RunMeta, step: int, pattern: Interference, found: Iterable[VictimTrial]
) -> Iterator[Warning]:
    first = {one.congestor: one.phase for one in reversed(list(found))}
    apart = [
        congestor for congestor, phase in first.items() if shared_limits(meta, step, phase) == ()
    ]
    if apart:
        yield Warning(
            "nothing-shared",
            f"{meta.plan.steps[step].name}: {pattern.victim} shares no link or switch with {', '.join(sorted(apart))}: "
            "a slow-down of 1 is expected",
            "take nodes of several switches (`nodes`), or divide them otherwise (`placement`)",
        )
