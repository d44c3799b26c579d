"""What a prediction is about, by name: a twin's folder, or a fabric."""

from __future__ import annotations

from weft.fabrics.document import FabricDocument
from weft.prediction.draws import Draws


def open_draws(name: str) -> Draws:
    """A twin's draws, or or a fabric, which is certain; raises RequestError for what is neither."""
    return Draws.of_fabric(FabricDocument.read(name))
