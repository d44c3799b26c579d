"""Two nodes with simulated insides, as a testbed."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa

from weft import _core
from weft.base import catalog
from weft.base.errors import RequestError
from weft.measure.testbed.computed.base import ComputedTestbed
from weft.measure.testbed.computed.outcome import SimulatedPhases, side_table
from weft.network.fabrics.spec import split_spec
from weft.plan.pattern import MultiPair
from weft.plan.phases import Phase
from weft.plan.plan import Step, to_json
from weft.runs.columns.tables import (
    APPLICATIONS_NAME,
    BOTTLENECKS_NAME,
    BUDGET_NAME,
    CACHES_NAME,
    CATEGORIES_NAME,
    OCCUPATION_NAME,
    RESPONSES_NAME,
)
from weft.runs.records import records

_ALWAYS = (OCCUPATION_NAME, BUDGET_NAME)
"""These tables are always kept, others only if they have rows."""
_EXAMPLE = "for example node:p4-400-base or node:p4-400-offload(processors.nic.clock=200 MHz)"


class SimulatedNodes(ComputedTestbed[_core.Machine]):
    """Two machines of the same kind, joined by a link."""

    kind = "node"
    transports = ("tcp", "udp", "mpi")
    computes = True

    def __init__(
        self,
        machine: _core.Machine,
        overrides: dict[str, str],
        described: records.MachineText | None = None,
    ) -> None:
        super().__init__(machine)
        self._overrides = overrides
        self._described = described

    def describe(self) -> records.TestbedRecord:
        """The testbed's entry in run.json: the placement of tasks, the description, and the changes to it."""
        about: records.TestbedRecord = {
            "kind": self.kind,
            "name": self.name,
            "title": self.model.title,
            "placement": dict(self.model.placement()),
            "overrides": self._overrides,
        }
        return about | {"machine": self._described} if self._described else about

    def check(self, step: Step) -> None:
        """Refuse a step that is not between two nodes; raises RequestError."""
        if step.is_ensemble:
            raise RequestError(
                f"step {step.name!r} is a {step.pattern.kind} between many nodes; node:{self.name} has two",
                "run it on sim:FABRIC; here run pingpong, stream and webserver, such as netpipe, stream, gamma-sweep",
            )
        super().check(step)
        self._refuse_idle(step)
        if refusal := self.model.refusal(to_json(step)):
            raise RequestError(f"step {step.name!r}: {refusal}")

    def _refuse_idle(self, step: Step) -> None:
        """Refuse changed keys on which no result depends; raises RequestError."""
        for key in self._overrides:
            why = self.model.idle(key, isinstance(step.pattern, MultiPair))
            if why:
                raise RequestError(
                    f"{key} would change nothing on node:{self.name} in step {step.name!r}: {why}",
                    "leave it out",
                )

    def settings(self, step: Step) -> dict[str, str | int]:
        """The settings of a step's library, in the form in which the library of a real machine reports them."""
        return self.model.settings(to_json(step))

    def simulate(
        self, step: Step, first: int, last: int, with_loads: bool = False
    ) -> SimulatedPhases:
        """Simulate the phases of a resolved step from `first` up to, but not including, `last`."""
        return SimulatedPhases.of(self.model.simulate(to_json(step), first, last))

    def simulate_chosen(
        self, step: Step, phases: list[Phase], with_loads: bool = False
    ) -> SimulatedPhases:
        """Raises RequestError: steps that choose their phases are between many nodes."""
        raise RequestError(f"step {step.name!r} chooses its phases: not between two nodes")

    def tables(self, outcome: SimulatedPhases, step: int, clock_ns: int) -> dict[str, pa.Table]:
        """The tables that a run keeps beside its samples, by file name."""
        model = self.model
        names = {
            "node": model.hosts(),
            "part": model.parts(),
            "task": [*model.tasks(), ""],
            "stage": model.stages(),
            "category": model.categories(),
            "cache": model.caches(),
            "access": model.accesses(),
        }
        columns = {
            OCCUPATION_NAME: outcome.occupation,
            BUDGET_NAME: outcome.budgets,
            CACHES_NAME: outcome.cache_hits,
            APPLICATIONS_NAME: outcome.applications,
            RESPONSES_NAME: outcome.responses,
            CATEGORIES_NAME: outcome.categories,
        }
        found = {name: side_table(step, some, names) for name, some in columns.items()}
        kept = {name: one for name, one in found.items() if one.num_rows or name in _ALWAYS}
        return {BOTTLENECKS_NAME: outcome.bottlenecks(step, self.constraint_names)} | kept


def open_nodes(text: str, scale: float = 1.0) -> SimulatedNodes:
    """The testbed for MACHINE-PLACEMENT or MACHINE(placement=..., KEY=VALUE, ...); raises RequestError.

    KEY is a key of the description, such as memory.hit_rate or processors.nic.clock.
    """
    if scale != 1.0:
        raise RequestError(
            f"node:{text}: a machine has no rates to scale",
            f"override single keys, {_EXAMPLE}",
        )
    name, values = split_spec(text, f"node:{text}", _EXAMPLE)
    path, placement = _find(name)
    placement = values.pop("placement", placement)
    if placement is None:
        _check_single(name)
    text, shown = catalog.read(path), catalog.shown(path)
    machine = _core.Machine.load(text, shown, placement, list(values.items()))
    return SimulatedNodes(machine, values, {"text": text, "placement": placement})


def _check_single(name: str) -> None:
    """Refuse a catalogue machine with several placements if none is named; raises RequestError."""
    choices = [one for one in catalog.placements() if one.startswith(f"{name}-")]
    if name in catalog.names("machine") and len(choices) > 1:
        listed = ", ".join(choices)
        raise RequestError(f"machine {name} has several placements", f"choose one of {listed}")


def _find(name: str) -> tuple[Path, str | None]:
    """A machine's file, and the placement at the end of the name."""
    known = catalog.names("machine")
    for machine in sorted(known, key=len, reverse=True):
        if name.startswith(f"{machine}-") and name not in known:
            return catalog.find("machine", machine), name.removeprefix(f"{machine}-")
    try:
        return catalog.find("machine", name), None
    except RequestError as error:
        raise RequestError(
            error.message,
            f"{catalog.known_names(name, list(catalog.placements()), 'weft list machines')}; {_EXAMPLE}",
        ) from None
