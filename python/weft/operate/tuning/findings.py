"""Recommendations from won races: what changed, the kernel's counters before and after, and the commands to type."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import msgspec

from weft.base.interval import Interval
from weft.base.quantity import significant
from weft.knobs import commands
from weft.knobs.catalog import knobs
from weft.knobs.recommendation import Recommendation, times_text
from weft.operate.tuning.choice import AGAIN, NO_EVIDENCE
from weft.operate.tuning.left_open import LEFT_OPEN
from weft.operate.tuning.opening import OpeningRun
from weft.operate.tuning.race import RacePlace
from weft.operate.tuning.tuning import RaceSummary, ReadingChange
from weft.runs.folder import RunFolder
from weft.understand.host.evidence import PointEvidence, evidence

SAYS = {
    "receive_window_share": "the peer's receive window was full",
    "send_buffer_share": "the send buffer was full",
    "network_share": "the network was the limit",
    "retransmits": "segments sent again in a launch",
    "drops": "frames dropped in a launch",
    "interrupts": "interrupts a message",
    "softirqs": "soft interrupts a message",
    "switches": "context switches a message",
    "ns_per_byte": "processor time of the agent, ns per byte",
    "softirq_ns": "soft interrupts, ns of a message",
    "waiting_ns": "waiting for the processor, ns of a message",
}
"""Readings that explain why a setting helped, the most direct first."""
LEAST_CHANGE = 0.1
"""Least relative change of a reading; for shares of the time, the least absolute change."""
MOST_MOVED = 4


def moved(run: RunFolder, before: Sequence[int], after: Sequence[int]) -> tuple[ReadingChange, ...]:
    """Readings that differ between two candidates' steps by more than their intervals and by enough to matter, the most
    direct first."""
    points = evidence(run).points
    found = [
        one
        for a, b in zip(before, after, strict=True)
        for one in _between(
            [point for point in points if point.step == a],
            [point for point in points if point.step == b],
        )
    ]
    return tuple(sorted(found, key=lambda one: list(SAYS).index(one.measure))[:MOST_MOVED])


def _between(
    before: Sequence[PointEvidence], after: Sequence[PointEvidence]
) -> Iterator[ReadingChange]:
    then = {(one.node, one.size_bytes): one for one in after}
    for one in before:
        other = then.get((one.node, one.size_bytes))
        for name in SAYS.keys() & one.measures.keys() & (other.measures.keys() if other else set()):
            assert other is not None
            old, new = one.measures[name], other.measures[name]
            if _differ(name, old, new):
                yield ReadingChange(one.node, name, old, new, _text(one.node, name, old, new))


def _differ(name: str, old: Interval, new: Interval) -> bool:
    are_apart = old.high < new.low or new.high < old.low
    change = abs(new.median - old.median)
    whole = 1.0 if name.endswith("_share") else max(abs(old.median), abs(new.median))
    return are_apart and change >= LEAST_CHANGE * whole > 0


def _text(node: str, name: str, old: Interval, new: Interval) -> str:
    if name.endswith("_share"):
        values = f"{100 * old.median:.0f} % of the time before, {100 * new.median:.0f} % after"
    else:
        values = f"{significant(old.median, 3)} before, {significant(new.median, 3)} after"
    return f"{node}: {SAYS[name]}: {values}"


def recommendations(
    raced: RaceSummary, current: Mapping[str, str], interfaces: Mapping[str, str]
) -> Iterator[Recommendation]:
    """A recommendation for each knob that the winner of a race changed; all of a race share its effect. `interfaces`
    are by node."""
    for name, value in raced.won.items():
        if name in raced.choice.knobs:
            yield msgspec.structs.replace(
                _tested(name, value, current, interfaces, _evidence(raced)),
                effect=raced.result.effect,
                tried=tuple(_lost(raced)),
            )


def without_which_nothing_works(
    opening: OpeningRun,
    current: Mapping[str, str],
    interfaces: Mapping[str, str],
    settled: Mapping[str, str],
) -> Iterator[Recommendation]:
    """A recommendation for each setting that the first look needed; a race may have found a better value since
    (`settled`)."""
    for name in opening.needed:
        yield _tested(name, settled[name], current, interfaces, opening.why)


def _tested(
    name: str,
    value: str,
    current: Mapping[str, str],
    interfaces: Mapping[str, str],
    evidence: tuple[str, ...],
) -> Recommendation:
    """A recommendation without its effect."""
    interface = next(iter(interfaces.values()), "INTERFACE")
    knob, now = knobs()[name], current.get(name, "")
    return Recommendation(
        knob=name,
        title=knob.title,
        scope=knob.scope,
        nodes=tuple(interfaces),
        current=now or "the kernel's",
        proposed=value,
        tested=True,
        evidence=evidence,
        apply=commands.by_hand(knob, value, interface),
        permanent=commands.permanent(knob, value, interface),
        undo=commands.undo(knob, now, interface),
    )


def _evidence(raced: RaceSummary) -> tuple[str, ...]:
    """What the limit was before, and which readings changed from the original settings to the winner."""
    because = () if raced.choice.why in (NO_EVIDENCE, AGAIN, LEFT_OPEN) else (raced.choice.why,)
    return because + tuple(one.text for one in raced.moved) or (
        "no counter moved beyond its interval: the times alone speak for it",
    )


def _lost(raced: RaceSummary) -> Iterator[str]:
    """The candidates that did not win."""
    for place in raced.result.places:
        if place.name not in (raced.result.winner, raced.result.baseline):
            yield f"{place.name}: {place_text(place)}"


def place_text(place: RacePlace) -> str:
    """A candidate's result as text."""
    if place.ratio is None:
        return place.why or "in no block"
    why = f"; {place.why}" if place.why else ""
    return f"{times_text(place.ratio)} in {place.blocks} blocks{why}"
