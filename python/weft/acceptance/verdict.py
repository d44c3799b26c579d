"""What an acceptance says: a verdict on each requirement, with what is wrong, where, and its likely causes."""

from __future__ import annotations

from typing import Literal

import msgspec
from msgspec import Struct

from weft.condition import Fact
from weft.interval import Interval

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


class Verdict(Struct, frozen=True):
    """On one requirement: the interval decides.

    `measured` is the worst that was found, in `unit` like `limit`; it is None where nothing could be measured, or where
    the requirement is about no number. `would_decide` is empty where it is decided. `causes` are likeliest first.
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


class Acceptance(Struct, frozen=True):
    """All verdicts on a testbed, and the folders of the runs that they rest on, in the order of measuring."""

    testbed: str
    nodes: tuple[str, ...]
    expected_from: str
    runs: tuple[str, ...]
    verdicts: tuple[Verdict, ...]
    started: str = ""
    elapsed_s: float = 0.0

    @property
    def passed(self) -> bool | None:
        """Whether all requirements are met; None where none is not met but some are not decided."""
        status = {verdict.status for verdict in self.verdicts}
        if "not met" in status:
            return False
        return None if "not decided" in status else True

    def to_json(self) -> dict[str, object]:
        """The document of `weft accept --json`."""
        return {"passed": self.passed, **msgspec.to_builtins(self)}
