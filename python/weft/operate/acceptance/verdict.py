"""What an acceptance says: a verdict on each requirement, with what is wrong, where, and its likely causes."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from weft.base.condition import Fact
from weft.base.interval import Interval
from weft.base.result import Documented
from weft.runs.run_warnings import RunWarning

FAILS_AT_LIMIT = 0.019
"""How often a route whose median is exactly at its limit is not met, at all looks together."""
Status = Literal["met", "not met", "not decided"]
Direction = Literal["out", "in", "both", "inside"]


class Symptom(Struct, frozen=True):
    """What is wrong, and where: `kind` such as "rate-low", `element` as people name it ("n3 out", "uplink of leaf1").

    `facts` are flat, with units in their names; shares are parts of one (share_of_expected=0.1).
    """

    kind: str
    nodes: tuple[str, ...]
    element: str
    direction: Direction | None = None
    facts: dict[str, Fact] = {}


class Cause(Struct, frozen=True):
    """A likely cause of a symptom (catalog/causes): what it is, how to check it, what mends it."""

    code: str
    title: str
    text: str
    check: str
    remedy: str


class RequirementVerdict(Struct, frozen=True):
    """On one requirement: the interval decides.

    `measured` is the worst that was found, in `unit` like `limit`; it is None where nothing could be measured, or where
    the requirement is about no number. `would_decide` is empty where it is decided. `causes` are likeliest first.
    `doubts` say why the numbers may not be those of the cluster alone: what the runs warn of that they rest on.
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
        """The status as people read it: one in doubt does not stand bare."""
        return f"{self.status}, in doubt" if self.doubts else self.status


class Again(Struct, frozen=True):
    """A route's rate in Mb/s, or its one-way time in us with messages of a size: `first` in the round, None where that
    gave none, and `alone`. A round shares what other routes of it cross, too."""

    src: str
    dst: str
    unit: Literal["Mb/s", "us"]
    first: float | None
    alone: Interval
    size_bytes: int | None = None


class AcceptanceResult(Documented, Struct, frozen=True):
    """All verdicts on a testbed, and the folders of the runs that they rest on, in the order of measuring, with what
    these warn of, and the routes that were measured `again`."""

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
        """How many requirements have which status, and how many of all are in doubt."""
        all_ = ("met", "not met", "not decided")
        found = ((sum(one.status == status for one in self.verdicts), status) for status in all_)
        doubted = sum(bool(one.doubts) for one in self.verdicts)
        told = ", ".join(f"{count} {status}" for count, status in found if count)
        return f"{told}; {doubted} in doubt" if doubted else told

    @property
    def of_many(self) -> str:
        """What the intervals of many routes say together; empty where none has one, as of a simulated network."""
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
        """Those of all verdicts."""
        return tuple(dict.fromkeys(text for one in self.verdicts for text in one.doubts))

    @property
    def passed(self) -> bool | None:
        """Whether all requirements are met; None where none is not met but some are not decided."""
        status = {verdict.status for verdict in self.verdicts}
        if "not met" in status:
            return False
        return None if "not decided" in status else True
