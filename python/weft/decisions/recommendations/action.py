"""What to do about a cluster, or not to do: one action with what it brings, what it takes and what it rests on."""

from __future__ import annotations

import re
from typing import Literal, TypeAlias

from msgspec import Struct

from weft.base.interval import Interval

Kind = Literal["fix", "tune", "upgrade", "operate", "measure", "do-nothing"]
"""A fix mends what is broken, an upgrade is bought, `operate` uses what there is in another way. `do-nothing` says what
not to do."""
Effort = Literal["minutes", "hours", "purchase"]
Basis = Literal["predicted", "measured", "counted"]


class ActionEvidence(Struct, frozen=True):
    """A sentence with its numbers, the `source` (a folder or file) that says so, and a code where it has one."""

    source: str
    text: str
    code: str = ""


class ActionEffect(Struct, frozen=True):
    """How many times as good a `workload` becomes: as fast, or as long available. `basis` says how that is known."""

    workload: str
    ratio: Interval
    basis: Basis


class ActionCost(Struct, frozen=True):
    """What an action costs beyond what there is."""

    amount: float
    currency: str
    year: int | None = None


class Expected(Struct, frozen=True):
    """What the action brings of one step at one size: `ratio` is the rate after over the rate before, or the time
    before over the time after. `before` is that rate (Mb/s) or time (s), as it was measured or, where it was not, as
    it is predicted (`basis`)."""

    step: str
    size_bytes: int
    ratio: Interval
    measure: Literal["rate", "time"]
    before: Interval
    basis: Basis


class PlanCheck(Struct, frozen=True, tag="plan"):
    """Carry out a plan (TOML, with overrides) again, and hold it against what was before; `run` measured that."""

    plan: str
    expected: tuple[Expected, ...]
    settings: tuple[tuple[str, str], ...] = ()
    run: str = ""


class FindingCheck(Struct, frozen=True, tag="finding"):
    """`weft check`, which must not find the code on these nodes any more."""

    code: str
    nodes: tuple[str, ...]


class AcceptanceCheck(Struct, frozen=True, tag="acceptance"):
    """An acceptance with the same `expect` and `fabric`, in which these requirements must be met."""

    requirements: tuple[str, ...]
    expect: str | None = None
    fabric: str | None = None


class ByHand(Struct, frozen=True, tag="by-hand"):
    """What weft cannot show at once; `text` says what would."""

    text: str


Check: TypeAlias = PlanCheck | FindingCheck | AcceptanceCheck | ByHand


class Action(Struct, frozen=True):
    """One recommendation. `do` is it in a sentence, `element` what it is about. `changes` are those of the network in
    the words of `weft what-if`. With `blocks` plans cannot run before it is done. `commands` do it, where commands can;
    `checks` show afterwards whether it did."""

    id: str
    kind: Kind
    do: str
    element: str
    nodes: tuple[str, ...]
    effort: Effort
    evidence: tuple[ActionEvidence, ...]
    effect: ActionEffect | None = None
    blocks: bool = False
    cost: ActionCost | None = None
    changes: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    checks: tuple[Check, ...] = ()


def id_of(*words: str) -> str:
    """A stable name that a shell and a file system take: "link", "n[1-16] out" -> "link-n1-16-out"."""
    return re.sub(r"[^a-z0-9_.]+", "-", " ".join(words).lower()).strip("-")
