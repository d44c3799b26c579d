"""Expands and checks a request before anything is simulated."""

from __future__ import annotations

from dataclasses import dataclass

from weft.base.errors import RequestError
from weft.decisions.decision.designs import Design, RefusedDesign, designs_of
from weft.decisions.decision.estimated import estimated
from weft.decisions.decision.quantities import (
    HostQuantities,
    UncertainQuantity,
    host_of,
    points_of,
    quantities_of,
)
from weft.decisions.decision.request import DecisionRequest
from weft.decisions.decision.workloads import WeightedWorkload, workloads_of
from weft.simulation.prediction.draws import Draws
from weft.simulation.sweep.task import Task
from weft.simulation.sweep.work_list import WorkList


@dataclass(frozen=True)
class PreparedRequest:
    """A request with everything that is known before simulating."""

    request: DecisionRequest
    designs: tuple[Design, ...]
    refused: tuple[RefusedDesign, ...]
    workloads: tuple[WeightedWorkload, ...]
    left_out: tuple[RefusedDesign, ...]
    """Workloads that cannot be estimated on any design."""
    hosts: int
    host: HostQuantities
    quantities: tuple[UncertainQuantity, ...]
    has_twin: bool

    @property
    def work(self) -> WorkList:
        """The simulations to run."""
        points = tuple(points_of(self.host, self.quantities))
        return WorkList(
            tuple(
                Task(design.network, workload.load, points)
                for design in self.designs
                for workload in self.workloads
            )
        )


def prepare(request: DecisionRequest, twin: Draws | None) -> PreparedRequest:
    """Expand and check everything; raises RequestError."""
    designs, refused = designs_of(request)
    if not designs:
        raise RequestError(
            f"no design can be simulated; {refused[0].name}: {refused[0].why}", refused[0].hint
        )
    hosts = request.hosts or min(one.hosts for one in designs)
    workloads, left_out = estimated(request, workloads_of(request, hosts), designs)
    host = host_of(request, twin)
    quantities = quantities_of(request, designs, workloads, host, twin)
    return PreparedRequest(
        request,
        tuple(designs),
        tuple(refused),
        tuple(workloads),
        tuple(left_out),
        hosts,
        host,
        tuple(quantities),
        twin is not None,
    )
