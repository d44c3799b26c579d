"""Load a fabric from the catalogue or a file, and check it."""

from __future__ import annotations

import json
from pathlib import Path

from weft import _core
from weft.base import catalog
from weft.base.errors import RequestError
from weft.network.fabrics.spec import SimSpec
from weft.runs.records.fabric_records import FabricRecord


def load_fabric(name_or_path: str, scale: float = 1.0) -> FabricRecord:
    """The resolved fabric, with rates multiplied by `scale`; raises RequestError if it is missing or invalid."""
    path = catalog.find("fabric", name_or_path)
    fabric: FabricRecord = json.loads(
        _core.load_fabric(catalog.read(path), catalog.shown(path), scale)
    )
    return fabric


def find_fabric(name: str) -> Path:
    """The file of a fabric; raises RequestError, which also names the generators."""
    try:
        return catalog.find("fabric", name)
    except RequestError as error:
        if not name.endswith(".toml"):
            raise RequestError(error.message, _other_fabrics(name)) from None
        raise


def _other_fabrics(wrong: str) -> str:
    generators = dict(_core.Network.generators())
    known = [*catalog.names("fabric"), *generators]
    near = catalog.similar(wrong, known)
    guess = (
        f"did you mean {' or '.join(generators.get(one, one) for one in near)}? " if near else ""
    )
    return (
        f"{guess}`weft list fabrics` lists all {len(known)}, and those with (...) are generated; "
        "or give the path of a .toml file"
    )


def refuse_parameters(asked: str, spec: SimSpec) -> None:
    """Raise RequestError for parameters that a fabric file does not accept."""
    if spec.others:
        generators = ", ".join(name for name, _ in _core.Network.generators())
        raise RequestError(
            f"{asked}: unknown parameter {', '.join(spec.others)}",
            "a fabric is simulated with overhead, window, segments_per_ack, sharing, outgoing, barrier, tolerance and "
            f"threads; generators have more: {generators}",
        )
