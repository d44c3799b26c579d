"""An uncertain network: the best estimate, and draws of networks that fit the measurements equally well."""

from __future__ import annotations

from dataclasses import dataclass

from weft.network.fabrics.document import FabricDocument
from weft.simulation.prediction.predict import NetworkDraw


@dataclass(frozen=True)
class Draws:
    """`median` is the best estimate. `drawn` are networks drawn from the uncertainty of the measurements; empty if a
    network is given instead of measured. `discrepancy` are logarithms of measured over predicted times of patterns that
    were not used in the fit, which show the simulator's own error; `rate_discrepancy` those of rates."""

    median: NetworkDraw
    drawn: tuple[NetworkDraw, ...] = ()
    discrepancy: tuple[float, ...] = ()
    rate_discrepancy: tuple[float, ...] = ()

    @classmethod
    def of_fabric(cls, document: FabricDocument) -> Draws:
        """A network that is exactly as described by its file."""
        return cls(NetworkDraw(document))
