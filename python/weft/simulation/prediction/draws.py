"""A network as it is known: what is most likely, and networks that fit what was measured as well."""

from __future__ import annotations

from dataclasses import dataclass

from weft.network.fabrics.document import FabricDocument
from weft.simulation.prediction.predict import Drawn


@dataclass(frozen=True)
class Draws:
    """`median` is the best estimate. `drawn` are networks from the uncertainty of what was measured, none where a
    network is given and not measured. `discrepancy` are logarithms of measured over predicted times of patterns that
    the fit never saw, what the simulator itself gets wrong, and `rate_discrepancy` those of rates."""

    median: Drawn
    drawn: tuple[Drawn, ...] = ()
    discrepancy: tuple[float, ...] = ()
    rate_discrepancy: tuple[float, ...] = ()

    @classmethod
    def of_fabric(cls, document: FabricDocument) -> Draws:
        """A network that is what its file says."""
        return cls(Drawn(document))
