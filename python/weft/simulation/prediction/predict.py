"""A plan on a network that is simulated, as numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from weft.measure.execute.options.run_options import RunOptions
from weft.measure.execute.request import RunRequest, compute_run
from weft.measure.testbed.computed.network import Simulated, open_document
from weft.network.fabrics.document import FabricDocument
from weft.network.fabrics.spec import Value
from weft.plan.load import PlanSource
from weft.understand.summary.measures import StepMeasure, measures


@dataclass(frozen=True)
class PlannedWorkload:
    """What is asked of a network: a plan as `weft.plan.load.load_plan` takes it, with overrides of single keys."""

    plan: PlanSource
    overrides: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Drawn:
    """A network as it may be: a fabric, and what is assumed of its hosts (keywords of `weft._core.Network.simulate`).
    Several that are drawn from what was measured differ as far as that is uncertain."""

    document: FabricDocument
    parameters: Mapping[str, Value] = field(default_factory=dict)

    def open(self, scale: float = 1.0) -> Simulated:
        """The network, ready to be simulated. What is predicted goes over TCP, whose connections share a link."""
        return open_document(self.document, {"outgoing": "connections", **self.parameters}, scale)


def predict(testbed: Simulated, workload: PlannedWorkload) -> list[StepMeasure]:
    """What the steps of a plan would take; raises RequestError for what cannot be simulated there, or not be held."""
    request = RunRequest(
        workload.plan, f"sim:{testbed.name}", RunOptions(settings=dict(workload.overrides))
    )
    return measures(compute_run(testbed, request))
