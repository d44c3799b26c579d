"""A user's request to `weft tune`, and all checks before anything is started."""

from __future__ import annotations

import os

from msgspec import Struct
from msgspec.structs import replace

from weft.base.errors import RequestError
from weft.knobs.catalog import find, knobs
from weft.knobs.knob import NAMED_GOALS, Knob
from weft.measure.execute.lab_scale.load import OfferedLoad, load_of_pair, loads_of
from weft.measure.execute.lab_scale.settle import settle_lab
from weft.measure.testbed.base import Testbed
from weft.measure.testbed.open import open_testbed
from weft.operate.tuning.choice import TuningGoal
from weft.plan.load import load_plan
from weft.runs.meta import Warning

COMMAND = "weft tune"
USUAL_TIME_S = 600.0
LEAST_TIME_S = 60.0
"""Time for a first look and one race."""


class TuneRequest(Struct, frozen=True):
    """`goal` is "stream", "latency", "mixed", or a plan's name or file; empty `knobs` means all."""

    testbed: str
    out: str
    goal: str = "stream"
    knobs: tuple[str, ...] = ()
    time_s: float = USUAL_TIME_S
    apply: bool = False
    apply_anyway: bool = False
    scale: float | None = None
    nodes: int | None = None
    ports: str | None = None
    patience_s: float = 10.0
    notes: tuple[Warning, ...] = ()
    """Warnings about the scale."""

    def check(self) -> None:
        """Raises RequestError for what is wrong in the request itself."""
        for name in self.knobs:
            find(name)
        if self.time_s < LEAST_TIME_S:
            raise RequestError(
                f"--time '{self.time_s:g} s': too short to tune anything",
                f"give at least '{LEAST_TIME_S:g} s', and 40 s more for each further knob",
            )
        self.wanted  # noqa: B018  # reads the plan

    @property
    def wanted(self) -> TuningGoal:
        """The goal with the transports of its steps; raises RequestError for an unknown goal or plan."""
        return TuningGoal(self.goal, _transports(self.goal), self.knobs)

    def at_carried_scale(self) -> TuneRequest:
        """The request with the scale of a lab settled; raises RequestError."""
        found = settle_lab(self.testbed, self.scale, self._loads)
        return replace(self, scale=found.scale, notes=found.notes)

    def _loads(self, hosts: int) -> list[OfferedLoad]:
        """The loads of the first look and of races."""
        of_goal = [] if self.goal in NAMED_GOALS else loads_of(load_plan(self.goal), hosts)
        return [*load_of_pair(hosts), *of_goal]

    @property
    def known(self) -> dict[str, Knob]:
        """The knobs of the catalogue."""
        return knobs()

    def open(self, may_ask: bool = True) -> Testbed:
        """The testbed; raises RequestError if it has no settings or fewer than two nodes."""
        kind = self.testbed.partition(":")[0]
        if kind in ("sim", "node"):
            raise RequestError(
                f"--on {self.testbed}: is computed, and has no settings to tune",
                "tune machines (ssh:a,b) or a lab (lab:gigabit-pair)",
            )
        if kind == "slurm" and "SLURM_JOB_ID" not in os.environ:
            raise RequestError(
                f"--on {self.testbed}: each race would be on other nodes",
                "tune inside of one allocation: salloc -N 2 weft tune --on slurm: ...",
            )
        testbed = open_testbed(self.testbed, self.scale, self.nodes, self.ports, may_ask=may_ask)
        if len(testbed.nodes) < 2:
            names = ", ".join(node.name for node in testbed.nodes)
            testbed.close()
            raise RequestError(
                f"--on {self.testbed}: has one node only ({names})",
                "a network is tuned between two: --on ssh:a,b",
            )
        return testbed


def _transports(goal: str) -> frozenset[str]:
    if goal in NAMED_GOALS:
        return frozenset(["tcp"])
    try:
        return frozenset(step.transport for step in load_plan(goal).steps)
    except RequestError as error:
        hint = f"--for takes {', '.join(NAMED_GOALS)}, or a plan"
        raise RequestError(
            f"--for {goal}: {error.message}", f"{hint}; {error.hint}".rstrip("; ")
        ) from None
