"""The result of a tuning: the path's limits, races, recommendations, and what was skipped; stored in tuning.json."""

from __future__ import annotations

from msgspec import Struct

from weft.base.interval import Interval
from weft.base.result import Documented
from weft.knobs.recommendation import Recommendation, times_text
from weft.operate.tuning.choice import NO_TIME, KnobChoice, SkippedKnob
from weft.operate.tuning.first_look import InitialDiagnosis
from weft.operate.tuning.race import RaceResult, SettingsCandidate
from weft.runs.run_warnings import RunWarning, doubts, in_doubt
from weft.understand.kinds.race.contest import CONFIRMED_WRONGLY


class ReadingChange(Struct, frozen=True):
    """A reading at a node that the winner changed: `before` and `after` are per message, shares of the time, or counts
    of a launch; `text` describes the change."""

    node: str
    measure: str
    before: Interval
    after: Interval
    text: str


class RaceSummary(Struct, frozen=True):
    """One race: what was tried on top of what was settled before, and how it ended."""

    choice: KnobChoice
    candidates: tuple[SettingsCandidate, ...]
    result: RaceResult
    moved: tuple[ReadingChange, ...] = ()

    @property
    def won(self) -> dict[str, str]:
        """The settings of the winner; empty if nothing is better than before."""
        by_name = {one.name: one.settings for one in self.candidates}
        return by_name[self.result.winner] if self.result.recommended else {}


class TuningResult(Documented, Struct, frozen=True):
    """The result of a tuning. `effect` is that of all recommendations together, from a race of its own if there are
    several; `warnings` are those of all runs."""

    DERIVED = ("verdict", "settings", "undecided", "disturbed", "doubts", "wrong_at_most")

    testbed: str
    goal: str
    nodes: tuple[str, ...]
    folder: str
    first_look: InitialDiagnosis
    raced: tuple[RaceSummary, ...] = ()
    skipped: tuple[SkippedKnob, ...] = ()
    recommendations: tuple[Recommendation, ...] = ()
    effect: Interval | None = None
    notes: tuple[str, ...] = ()
    applied: tuple[str, ...] = ()
    started: str = ""
    elapsed_s: float = 0.0
    warnings: tuple[RunWarning, ...] = ()

    @property
    def settings(self) -> dict[str, str]:
        """The recommended settings, by knob."""
        return {one.knob: one.proposed for one in self.recommendations}

    @property
    def doubts(self) -> tuple[str, ...]:
        """Why the runs may have measured something other than the settings."""
        return doubts(self.warnings)

    @property
    def verdict(self) -> str:
        """The result in a sentence, with its doubts."""
        return in_doubt(self.plain_verdict, self.doubts)

    @property
    def plain_verdict(self) -> str:
        """The result in a sentence, without its doubts."""
        if self.recommendations:
            changes = ", ".join(f"{one.knob} = {one.proposed}" for one in self.recommendations)
            return f"recommended: {changes}"
        if not self.raced and any(one.why == NO_TIME for one in self.skipped):
            return "no recommendation: --time was too short to try anything"
        if not self.raced:
            return "no recommendation: there was nothing to try"
        if self.disturbed:
            return f"undecided: {'; '.join(self.disturbed)}: tune when the machine is quiet"
        if self.undecided:
            named = "; ".join(self.undecided)
            return f"no recommendation, but not all is decided: {named}: give more --time"
        return "no recommendation: nothing that was tried is better than the settings as they are"

    @property
    def wrong_at_most(self) -> float:
        """Upper bound on the probability that any race recommends what is no better: the sum over races."""
        return CONFIRMED_WRONGLY * len(self.raced)

    @property
    def how_sure(self) -> str:
        """The error probability as text."""
        races = "1 race" if len(self.raced) == 1 else f"{len(self.raced)} races"
        return f"{races}: any recommends what is no better in {100 * self.wrong_at_most:.2g} % of tunings at most"

    @property
    def undecided(self) -> tuple[str, ...]:
        """Candidates that looked better in their confirmation, which had too few blocks to be certain."""
        return tuple(
            f"{one.name} was {times_text(one.ratio)} in {one.blocks} blocks"
            for raced in self._latest
            if not raced.result.disturbed
            for one in raced.result.confirmations
            if not one.is_better and one.ratio.low > 1
        )

    @property
    def disturbed(self) -> tuple[str, ...]:
        """The knobs whose race the machine decided, and how."""
        return tuple(
            f"{raced.choice.name}: {raced.result.disturbed}"
            for raced in self._latest
            if raced.result.disturbed
        )

    @property
    def _latest(self) -> list[RaceSummary]:
        """The last race of each choice."""
        return list({raced.choice.knobs: raced for raced in self.raced}.values())
