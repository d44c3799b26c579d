"""A setting that evidence suggests changing: from what to what, why, and the commands to apply and revert it."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from weft.base.interval import Interval
from weft.base.nodeset import fold
from weft.base.quantity import significant
from weft.base.result import Documented
from weft.knobs.knob import Scope


class Recommendation(Documented, msgspec.Struct, frozen=True):
    """One knob, by its name in catalog/knobs, on `nodes`: its value now and the proposed one, as commands take them.

    `effect` is the ratio of the proposed value's result to the current one's, more than 1 is better; None if nothing
    was compared (`tested` is false), and if nothing works with the current value (`tested` is true). `evidence` are
    sentences with numbers; `tried` says what else was tried. `apply` sets it now, `permanent` also after a reboot,
    `undo` reverts it; `test` is the command that would decide.
    """

    DERIVED = ("text",)

    knob: str
    title: str
    scope: Scope
    nodes: tuple[str, ...]
    current: str
    proposed: str
    effect: Interval | None = None
    tested: bool = False
    evidence: tuple[str, ...] = ()
    tried: tuple[str, ...] = ()
    apply: tuple[str, ...] = ()
    permanent: tuple[str, ...] = ()
    undo: tuple[str, ...] = ()
    test: str = ""

    @property
    def text(self) -> str:
        """The recommendation as a sentence, such as "mtu on n[1-2]: from 1500 to 9000, at least 1.10 times as good
        (1.12, up to 1.14)"."""
        change = f"from {self.current or 'unknown'} to {self.proposed}"
        return f"{self.knob} on {fold(self.nodes)}: {change}, {self._effect()}"

    def _effect(self) -> str:
        if self.effect is None:
            return "without which nothing works" if self.tested else "untested"
        return at_least_text(self.effect)

    def lines(self) -> Iterator[str]:
        """The sentence, then its evidence and the commands, indented."""
        yield self.text
        named = (
            ("because", self.evidence),
            ("tried", self.tried),
            ("test", (self.test,) if self.test else ()),
            ("now", self.apply),
            ("permanent", self.permanent),
            ("undo", self.undo),
        )
        for name, texts in named:
            for index, text in enumerate(texts):
                yield f"  {'' if index else name + ':':<11}{text}"


def at_least_text(ratio: Interval) -> str:
    """A confirmed ratio as text, such as "at least 1.18 times as good (1.21, up to 1.24)". The look at which it is
    first confirmed tends to have a high median, while the low end is reliable."""
    low, middle, high = (significant(one, 3) for one in (ratio.low, ratio.median, ratio.high))
    return f"at least {low} times as good ({middle}, up to {high})"


def times_text(ratio: Interval) -> str:
    """A ratio as text, such as "1.21 times as good (1.18 to 1.24)"."""
    low, middle, high = (significant(one, 3) for one in (ratio.low, ratio.median, ratio.high))
    return f"{middle} times as good ({low} to {high})"
