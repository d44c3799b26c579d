"""Effects as text: "3.2 times as fast (3.1 to 3.3)", "+38 % (30 to 45)"."""

from __future__ import annotations

from weft.base.interval import Interval
from weft.base.quantity import significant
from weft.decisions.recommendations.action import (
    AcceptanceCheck,
    Action,
    ActionCost,
    ActionEffect,
    ByHand,
    Check,
    FindingCheck,
    PlanCheck,
)
from weft.knobs.recommendation import at_least_text

_TIMES_FROM = 2.0
"""Gains from this ratio on are stated as ratios rather than percentages."""
_BASES = {"predicted": "predicted", "measured": "measured", "counted": "if that had not been"}


def gain_text(ratio: Interval) -> str:
    """A gain as text, such as "+38 % (30 to 45)", or "3.2 times as good (3.1 to 3.3)"."""
    if ratio.median >= _TIMES_FROM:
        low, middle, high = (significant(one, 3) for one in (ratio.low, ratio.median, ratio.high))
        return f"{middle} times as good" + (f" ({low} to {high})" if low != high else "")
    low, middle, high = (_percent(one) for one in (ratio.low, ratio.median, ratio.high))
    return f"{middle} %" + (f" ({low} to {high})" if low != high else "")


def at_least_gain_text(ratio: Interval) -> str:
    """A confirmed gain as text; its median tends to be too high, so the lower end comes first: "at least +30 % (+38, up
    to +45)"."""
    if ratio.low >= _TIMES_FROM:
        return at_least_text(ratio)
    low, middle, high = (_percent(one) for one in (ratio.low, ratio.median, ratio.high))
    return f"at least {low} % ({middle}, up to {high})"


def at_most_text(ratio: Interval) -> str:
    """The upper end as text: "at most 0.09 %"."""
    percent = 100 * (ratio.high - 1)
    return f"at most {significant(percent, 2)} %" if percent > 0.005 else "nothing"


def _percent(ratio: float) -> str:
    """A percentage with its sign, unless it rounds to zero."""
    percent = 100 * (ratio - 1)
    digits = 0 if abs(percent) >= 10 else 1 if abs(percent) >= 1 else 2
    text = f"{percent:+.{digits}f}"
    return text if float(text) else "0"


def effect_text(effect: ActionEffect) -> str:
    """The effect with the workload, and how it is known."""
    gain = at_least_gain_text if effect.basis == "measured" else gain_text
    return f"{gain(effect.ratio)} on {effect.workload}, {_BASES[effect.basis]}"


def cost_text(cost: ActionCost) -> str:
    """A cost as text, such as "12,000 USD (2003)"."""
    year = f" ({cost.year})" if cost.year else ""
    return f"{cost.amount:,.0f} {cost.currency}{year}"


def action_text(action: Action) -> str:
    """One line: what to do, its effect and its cost."""
    effect = ""
    if action.kind != "do-nothing" and action.effect is not None:
        effect = f": {effect_text(action.effect)}"
    cost = f", for {cost_text(action.cost)}" if action.cost else ""
    return f"{action.do}{effect}{cost}"


def check_text(check: Check) -> str:
    """What a check does, as text."""
    match check:
        case PlanCheck():
            steps = ", ".join(dict.fromkeys(one.step for one in check.expected))
            return f"measures {steps} again"
        case FindingCheck():
            return f"`weft check` must not find {check.code} any more"
        case AcceptanceCheck():
            return f"accepts again: {', '.join(check.requirements)}"
        case ByHand():
            return check.text
