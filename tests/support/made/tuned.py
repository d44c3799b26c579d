"""A tuning's parts, made by hand."""

from __future__ import annotations

from pathlib import Path

from weft.base.interval import Interval
from weft.knobs.catalog import knobs
from weft.operate.tuning.candidates import candidates
from weft.operate.tuning.choice import NO_EVIDENCE, KnobChoice
from weft.operate.tuning.findings import recommendations
from weft.operate.tuning.first_look import InitialDiagnosis
from weft.operate.tuning.race import Confirmation, RacePlace, RaceResult, SettingsCandidate
from weft.operate.tuning.tuning import RaceSummary, ReadingChange, TuningResult

WINDOW = "n1: the peer's receive window full 84 % of the time"


def choice_of(*names: str, values: tuple[str, ...], why: str = NO_EVIDENCE) -> KnobChoice:
    return KnobChoice(names, dict.fromkeys(names, values), why)


def raced(choice: KnobChoice, winner: str | None, ratio: float) -> RaceSummary:
    """The last candidate has the ratio; all others are as good as the baseline."""
    named = knobs()
    entries = (
        SettingsCandidate("as it is"),
        *candidates([named[one] for one in choice.knobs], choice.values, {}),
    )
    last = Interval(ratio, 0.98 * ratio, 1.02 * ratio)
    same = Interval(1.0, 0.99, 1.01)
    places = [
        RacePlace("as it is", None, 12),
        *(RacePlace(one.name, same, 5, 5, "no better than another") for one in entries[1:-1]),
        RacePlace(entries[-1].name, last, 12),
    ]
    confirmations = (Confirmation(entries[-1].name, last, 12, winner is not None),)
    result = RaceResult(
        "as it is",
        winner or "as it is",
        entries[-1].name,
        winner is not None,
        last if winner else None,
        tuple(places),
        confirmations,
        "one-left" if winner else "equal",
        24,
        seconds=31.5,
        folder=Path(f"runs/tuned/{choice.knobs[0]}"),
    )
    seen = ReadingChange(
        "n1",
        "receive_window_share",
        Interval(0.84, 0.8, 0.88),
        Interval(0.02, 0.0, 0.04),
        "n1: the peer's receive window was full: 84 % of the time before, 2 % after",
    )
    return RaceSummary(choice, entries, result, (seen,) if winner else ())


def tuning_of(*races: RaceSummary) -> TuningResult:
    found = [
        one
        for each in races
        for one in recommendations(
            each, {"tcp_rmem": "4096 131072 262144"}, {"n1": "eth0", "n2": "eth0"}
        )
    ]
    return TuningResult(
        "lab:long-fat",
        "stream",
        ("n1", "n2"),
        "runs/tuned",
        InitialDiagnosis(160_000.0, 8.1, {"reader-slow": WINDOW}),
        races,
        recommendations=tuple(found),
        effect=found[0].effect if found else None,
        started="2026-11-23T21:00:00+00:00",
        elapsed_s=73.2,
    )
