"""Everything `weft show` says about a run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from weft.diagnose.curve import curves
from weft.diagnose.points import Point, curve_points
from weft.diagnose.routes import Phase, Route, phases, routes
from weft.diagnose.signature import Signature, of_curves
from weft.run.folder import Run
from weft.run.meta import RunMeta, Warning


@dataclass(frozen=True)
class Summary:
    """A run reduced to what is read; `warnings` are the run's and the signature's."""

    meta: RunMeta
    points: list[Point]
    signature: Signature | None
    phases: list[Phase]
    routes: list[Route]
    warnings: list[Warning]

    def to_json(self) -> dict[str, Any]:
        """The document of `weft show --json`."""
        return {
            "schema": self.meta.schema,
            "plan": self.meta.plan["name"],
            "testbed": self.meta.testbed,
            "status": self.meta.status,
            "statistic": self.meta.statistic,
            "source": self.meta.source,
            "nodes": self.meta.nodes,
            "warnings": [vars(warning) for warning in self.warnings],
            "points": [point.to_json() for point in self.points],
            "signature": self.signature and self.signature.to_json(),
            "phases": [phase.to_json() for phase in self.phases],
            "routes": [route.to_json() for route in self.routes],
        }


def summarise(run: Run) -> Summary:
    """Summarise a run, whole or cut short."""
    found = curves(run)
    signature = of_curves(found)
    return Summary(
        meta=run.meta,
        points=[point for curve in found for point in curve_points(curve)],
        signature=signature,
        phases=phases(run),
        routes=routes(run),
        warnings=[*run.meta.warnings, *(signature.notes if signature else [])],
    )
