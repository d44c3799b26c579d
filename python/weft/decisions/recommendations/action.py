"""A recommended action, or one to avoid, with its effect, its cost and its evidence."""

from __future__ import annotations

import re
from typing import Literal, TypeAlias

from msgspec import Struct

from weft.base.interval import Interval

Kind = Literal["fix", "tune", "upgrade", "operate", "measure", "do-nothing"]
"""A fix repairs a fault, an upgrade is bought, `operate` uses what exists differently. `do-nothing` says what not to
do."""
Effort = Literal["minutes", "hours", "purchase"]
Basis = Literal["predicted", "measured", "counted"]


class ActionEvidence(Struct, frozen=True):
    """A sentence with its numbers, the `source` (a folder or file), and a code if it has one."""

    source: str
    text: str
    code: str = ""


class ActionEffect(Struct, frozen=True):
    """The factor by which a `workload` improves in speed or availability. `basis` says how that is known."""

    workload: str
    ratio: Interval
    basis: Basis


class ActionCost(Struct, frozen=True):
    """The additional cost of an action."""

    amount: float
    currency: str
    year: int | None = None


class ExpectedEffect(Struct, frozen=True):
    """The expected effect on one step at one size: `ratio` is the rate after over the rate before, or the time before
    over the time after. `before` is that rate (Mb/s) or time (s), measured or predicted (`basis`)."""

    step: str
    size_bytes: int
    ratio: Interval
    measure: Literal["rate", "time"]
    before: Interval
    basis: Basis


class PlanCheck(Struct, frozen=True, tag="plan"):
    """Repeat a plan (TOML, with overrides) and compare with the result before, which `run` measured."""

    plan: str
    expected: tuple[ExpectedEffect, ...]
    settings: tuple[tuple[str, str], ...] = ()
    run: str = ""


class FindingCheck(Struct, frozen=True, tag="finding"):
    """Run `weft check`, which must no longer find the code on these nodes."""

    code: str
    nodes: tuple[str, ...]


class AcceptanceCheck(Struct, frozen=True, tag="acceptance"):
    """Run an acceptance with the same `expect` and `fabric`, in which these requirements must be met."""

    requirements: tuple[str, ...]
    expect: str | None = None
    fabric: str | None = None


class ByHand(Struct, frozen=True, tag="by-hand"):
    """A check that weft cannot do; `text` says how."""

    text: str


Check: TypeAlias = PlanCheck | FindingCheck | AcceptanceCheck | ByHand


class Action(Struct, frozen=True):
    """One recommendation. `do` states it in a sentence, `element` is what it is about. `changes` are those of the
    network in the syntax of `weft what-if`. With `blocks`, plans cannot run before it is done. `commands` carry it out,
    if commands can; `checks` show afterwards whether it worked."""

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
    """A stable name that is safe for shells and file systems: "link", "n[1-16] out" -> "link-n1-16-out"."""
    return re.sub(r"[^a-z0-9_.]+", "-", " ".join(words).lower()).strip("-")
