"""The result of an acceptance: a verdict on each requirement, with what is wrong, where, and its likely causes."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from weft.base.condition import Fact
from weft.base.interval import Interval
from weft.base.result import Documented
from weft.runs.run_warnings import RunWarning

FAILS_AT_LIMIT = 0.019
"""Probability that a route whose median is exactly at its limit is judged "not met", over all looks."""
Status = Literal["met", "not met", "not decided"]
Direction = Literal["out", "in", "both", "inside"]


class Symptom(Struct, frozen=True):
    """What is wrong, and where: `kind` such as "rate-low", `element` as text ("n3 out", "uplink of leaf1").

    `facts` are flat, with units in their names; shares are fractions of one (share_of_expected=0.1).
    """

    kind: str
    nodes: tuple[str, ...]
    element: str
    direction: Direction | None = None
    facts: dict[str, Fact] = {}


class Cause(Struct, frozen=True):
    """A likely cause of a symptom (catalog/causes), how to check it, and its remedy."""

    code: str
    title: str
    text: str
    check: str
    remedy: str


class RequirementVerdict(Struct, frozen=True):
    """The verdict on one requirement: the interval decides.

    `measured` is the worst value found, in the `unit` of `limit`; None if nothing could be measured or the requirement
    has no number. `would_decide` is empty if it is decided. `causes` are likeliest first. `doubts` say why the numbers
    may not be those of the cluster alone: warnings of the runs that they depend on.
    """

    requirement: str
    title: str
    status: Status
    measured: Interval | None = None
    unit: str = ""
    limit: float | None = None
    symptoms: tuple[Symptom, ...] = ()
    causes: tuple[Cause, ...] = ()
    evidence: tuple[str, ...] = ()
    would_decide: str = ""
    doubts: tuple[str, ...] = ()

    @property
    def marked_status(self) -> str:
        """The status as text; a status in doubt is marked."""
        return f"{self.status}, in doubt" if self.doubts else self.status


class Again(Struct, frozen=True):
    """A route's rate in Mb/s, or its one-way time in us for a message size: `first` in the round (None if it gave
    none), and `alone`. In a round other routes share what it crosses."""

    src: str
    dst: str
    unit: Literal["Mb/s", "us"]
    first: float | None
    alone: Interval
    size_bytes: int | None = None


class AcceptanceResult(Documented, Struct, frozen=True):
    """All verdicts on a testbed, the folders of the runs that they depend on in the order of measuring, their warnings,
    and the routes that were measured `again`."""

    DERIVED = ("passed",)

    testbed: str
    nodes: tuple[str, ...]
    expected_from: str
    runs: tuple[str, ...]
    verdicts: tuple[RequirementVerdict, ...]
    started: str = ""
    elapsed_s: float = 0.0
    warnings: tuple[RunWarning, ...] = ()
    again: tuple[Again, ...] = ()

    @property
    def counts(self) -> str:
        """How many requirements have each status, and how many are in doubt."""
        all_ = ("met", "not met", "not decided")
        found = ((sum(one.status == status for one in self.verdicts), status) for status in all_)
        doubted = sum(bool(one.doubts) for one in self.verdicts)
        told = ", ".join(f"{count} {status}" for count, status in found if count)
        return f"{told}; {doubted} in doubt" if doubted else told

    @property
    def of_many(self) -> str:
        """What the intervals of many routes say together; empty if none has one, as for a simulated network."""
        rates = (one for one in self.again if one.unit == "Mb/s")
        routes = len({(one.src, one.dst) for one in rates if one.alone.low < one.alone.high})
        share = 100 * (1 - (1 - FAILS_AT_LIMIT) ** routes)
        told = (
            "each interval holds with 95 % by itself, those of losses for all nodes together: of "
            f"{routes} routes exactly at their limit one or more would be not met in {share:.0f} %"
        )
        return told if routes else ""

    @property
    def doubts(self) -> tuple[str, ...]:
        """The doubts of all verdicts."""
        return tuple(dict.fromkeys(text for one in self.verdicts for text in one.doubts))

    @property
    def passed(self) -> bool | None:
        """Whether all requirements are met; None if none is failed but some are undecided."""
        status = {verdict.status for verdict in self.verdicts}
        if "not met" in status:
            return False
        return None if "not decided" in status else True
