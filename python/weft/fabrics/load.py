"""Loading a fabric: from the catalogue or a file, checked before anything is made of it."""

from __future__ import annotations

import json

from weft import _core
from weft.plan import catalog
from weft.runs.records import Fabric


def load_fabric(name_or_path: str, scale: float = 1.0) -> Fabric:
    """The resolved fabric, its rates multiplied by `scale`; raises RequestError when there is none or it is wrong."""
    path = catalog.find("fabric", name_or_path)
    fabric: Fabric = json.loads(_core.load_fabric(catalog.read(path), catalog.shown(path), scale))
    return fabric
