"""Predicts a plan on a simulated network, as numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from weft.measure.execute.options.run_options import RunOptions
from weft.measure.execute.request import RunRequest, compute_run
from weft.measure.testbed.computed.network import SimulatedNetwork, open_document
from weft.network.fabrics.document import FabricDocument
from weft.network.fabrics.spec import Value
from weft.plan.load import PlanSource
from weft.understand.summary.measures import StepMeasure, measures, program_measures


@dataclass(frozen=True)
class PlannedWorkload:
    """The load of a network: a plan as `weft.plan.load.load_plan` takes it, with overrides of single keys."""

    plan: PlanSource
    overrides: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class NetworkDraw:
    """A possible network: a fabric, and the parameters of its hosts (keywords of `weft._core.Network.simulate`). Draws
    from measurements differ by their uncertainty."""

    document: FabricDocument
    parameters: Mapping[str, Value] = field(default_factory=dict)

    def open(self, scale: float = 1.0) -> SimulatedNetwork:
        """The network, ready for simulation of TCP, whose connections share a link."""
        return open_document(self.document, {"outgoing": "connections", **self.parameters}, scale)


def predict(testbed: SimulatedNetwork, workload: PlannedWorkload) -> list[StepMeasure]:
    """The predicted measures of a plan's steps; raises RequestError if they cannot be simulated on the testbed, or do
    not fit into memory."""
    request = RunRequest(
        workload.plan, f"sim:{testbed.name}", RunOptions(settings=dict(workload.overrides))
    )
    run = compute_run(testbed, request)
    return [*measures(run), *program_measures(run)]
