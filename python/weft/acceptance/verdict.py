"""What an acceptance says: a verdict on each requirement, with what is wrong, where, and its likely causes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import msgspec
from msgspec import Struct

from weft.condition import Fact
from weft.interval import Interval
from weft.runs.run_warnings import RunWarning

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


class Acceptance(Struct, frozen=True):
    """All verdicts on a testbed, and the folders of the runs that they rest on, in the order of measuring, with what
    these warn of."""

    testbed: str
    nodes: tuple[str, ...]
    expected_from: str
    runs: tuple[str, ...]
    verdicts: tuple[Verdict, ...]
    started: str = ""
    elapsed_s: float = 0.0
    warnings: tuple[RunWarning, ...] = ()

    @property
    def counts(self) -> str:
        """How many requirements have which status, and how many of them are in doubt."""
        found = {
            status: [one for one in self.verdicts if one.status == status]
            for status in ("met", "not met", "not decided")
        }
        return ", ".join(
            f"{len(alike)} {status}{_in_doubt(alike)}" for status, alike in found.items() if alike
        )

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

    def to_json(self) -> dict[str, object]:
        """The document of `weft accept --json`."""
        return {"passed": self.passed, **msgspec.to_builtins(self)}


def _in_doubt(alike: Sequence[Verdict]) -> str:
    count = sum(bool(one.doubts) for one in alike)
    return f" ({count} in doubt)" if count else ""
