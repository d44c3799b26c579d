"""The predicted effect of each proposal; those without effect become recommendations against them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from msgspec.structs import replace

from weft.base.interval import Interval
from weft.decisions.recommendations.action import (
    Action,
    ActionEffect,
    ActionEvidence,
    Check,
    ExpectedEffect,
    PlanCheck,
    id_of,
)
from weft.decisions.recommendations.foresight import Changes, Foresight
from weft.decisions.recommendations.measured import measured
from weft.decisions.recommendations.pricing import Pricing
from weft.decisions.recommendations.remedy import FasterPorts, Proposal, Remedy, WiderInside
from weft.decisions.recommendations.words import at_most_text, effect_text, gain_text
from weft.decisions.what_if.result import PredictedEffect as Predicted
from weft.runs.folder import RunFolder

LEAST_RATIO = 1.02
"""A smaller effect counts as none."""
WORTH_BUYING = 1.10
"""An upgrade that may have no effect, and brings less than this in 90 % of worlds, is not worth buying."""
GENERAL: tuple[tuple[str, str, Remedy], ...] = (
    ("wider-inside", "do not buy switches or uplinks that are twice as wide", WiderInside(2.0)),
    ("faster-ports", "do not buy interfaces and ports that are twice as fast", FasterPorts(2.0)),
)
"""Common purchases, mentioned if they would bring nothing."""


@dataclass(frozen=True)
class ShownPlan:
    """A plan that shows the effect of an action, as in `PlanCheck`; `run` measured it before, if any did."""

    foresight: Foresight
    plan: str
    settings: tuple[tuple[str, str], ...] = ()
    run: RunFolder | None = None

    def check(self, changes: Changes) -> PlanCheck:
        """The check for some changes of the network as it is."""
        found = self.foresight.effects((), changes)
        run = str(self.run.directory) if self.run else ""
        return PlanCheck(self.plan, tuple(map(self._expected, found)), self.settings, run)

    def _expected(self, one: Predicted) -> ExpectedEffect:
        ratio = self.foresight.measurable(one)
        seen = self.run and measured(self.run, one.step, one.size_bytes, one.by)
        if seen:
            return ExpectedEffect(one.step, one.size_bytes, ratio, one.by, seen, "measured")
        before = one.before_s if one.by == "time" else one.before_mbps
        return ExpectedEffect(one.step, one.size_bytes, ratio, one.by, before, "predicted")


@dataclass(frozen=True)
class EffectJudge:
    """Evaluates proposals on a network: effects are stated on the workload `name`, which the first of `shown` runs;
    `twin` is the source of the network."""

    name: str
    shown: tuple[ShownPlan, ...]
    twin: str
    pricing: Pricing | None = None

    @property
    def _foresight(self) -> Foresight:
        return self.shown[0].foresight

    def actions(self, proposals: Sequence[Proposal]) -> Iterator[Action]:
        """All proposals, with a predicted effect if possible, and what not to buy."""
        words = {one.action.id: self._words(one.remedy) for one in proposals}
        fixes = {
            one.action.id: words[one.action.id] for one in proposals if one.action.kind != "upgrade"
        }
        mended = _joined(*fixes.values())
        for one in proposals:
            own = words[one.action.id]
            if not own:
                yield one.action
            elif one.action.kind == "upgrade":
                yield self._upgrade(one, own, mended)
            else:
                others = _joined(*(each for id_, each in fixes.items() if id_ != one.action.id))
                yield self._fix(one.action, own, others)
        for id_, instead, remedy in GENERAL:
            yield from self._not_worth_buying(id_, instead, self._words(remedy), mended)

    def unknown(self, proposals: Sequence[Proposal]) -> list[str]:
        """Parts that the network lacks although they were measured: the twin is of another cluster or another time."""
        return [one.action.id for one in proposals if one.remedy and not self._words(one.remedy)]

    def _words(self, remedy: Remedy | None) -> Changes:
        return remedy.words(self._foresight.document) if remedy else ()

    def _fix(self, action: Action, own: Changes, others: Changes) -> Action:
        """The effect of a fix when all other faults are fixed: if two nodes hold the rest up, fixing one alone brings
        nothing."""
        ratio = self._foresight.speedup(others, _joined(others, own))
        alone = self._foresight.speedup((), own)
        evidence = action.evidence
        if others and _is_useless(alone) and not _is_useless(ratio):
            text = f"by itself it brings {gain_text(alone)} on {self.name}: the other faults hold it up, too"
            evidence = (*evidence, ActionEvidence(self.twin, text))
        return replace(
            action,
            effect=ActionEffect(self.name, ratio, "predicted"),
            changes=own,
            evidence=evidence,
            checks=(*self._checks(own), *action.checks),
        )

    def _upgrade(self, proposal: Proposal, own: Changes, mended: Changes) -> Action:
        """The effect of an upgrade on the network with its faults fixed, which would otherwise hide it."""
        action = proposal.action
        ratio = self._foresight.speedup(mended, _joined(mended, own))
        effect = ActionEffect(self.name, ratio, "predicted")
        if _is_useless(ratio):
            return self._against(action, proposal.instead, effect, own)
        if ratio.low <= 1.0:
            return replace(
                action,
                kind="measure",
                do=f"measure more before you {action.do}: it would bring {effect_text(effect)}",
                effort="minutes",
                effect=effect,
                changes=own,
            )
        if self.pricing:
            action = self.pricing.priced(replace(action, changes=own))
        beyond = (ActionEvidence(self.twin, text) for text in self._foresight.extrapolated(own))
        return replace(
            action,
            effect=effect,
            changes=own,
            evidence=(*action.evidence, *beyond),
            checks=self._checks(own),
        )

    def _not_worth_buying(
        self, id_: str, instead: str, own: Changes, mended: Changes
    ) -> Iterator[Action]:
        if not own:
            return
        effect = ActionEffect(
            self.name, self._foresight.speedup(mended, _joined(mended, own)), "predicted"
        )
        if _is_useless(effect.ratio):
            nothing = Action(id_of("not", id_), "upgrade", "", instead, (), "purchase", ())
            yield self._against(nothing, instead, effect, own)

    def _against(self, action: Action, instead: str, effect: ActionEffect, own: Changes) -> Action:
        text = f"{self.twin}: {effect_text(effect)}"
        return replace(
            action,
            kind="do-nothing",
            do=f"{instead}: it would bring {at_most_text(effect.ratio)} on {self.name}",
            effect=effect,
            changes=own,
            evidence=(*action.evidence, ActionEvidence(self.twin, text, "what-if")),
        )

    def _checks(self, own: Changes) -> tuple[Check, ...]:
        return tuple(one.check(own) for one in self.shown)


def _is_useless(ratio: Interval) -> bool:
    return ratio.low < LEAST_RATIO and ratio.high < WORTH_BUYING


def _joined(*changes: Changes) -> Changes:
    """Changes without duplicates."""
    return tuple(dict.fromkeys(text for each in changes for text in each))
