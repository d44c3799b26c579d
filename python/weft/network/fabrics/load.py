"""Load a fabric from the catalogue or a file, and check it."""

from __future__ import annotations

import difflib
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
    """The file of a fabric; raises RequestError, which suggests files, fabrics and generators of a similar name."""
    try:
        return catalog.find("fabric", name)
    except RequestError as error:
        raise RequestError(error.message, _like(name) or error.hint) from None


def _like(name: str) -> str:
    """What a wrong name may mean: files beside it, fabrics of the catalogue, generators with an example."""
    examples = dict(_core.Network.generators())
    path = Path(name)
    if path.suffix == ".toml":
        files = sorted(path.parent.glob("*.toml")) if path.parent.is_dir() else []
        near = difflib.get_close_matches(name, map(str, files), n=2, cutoff=0.7)
    else:
        plain = {one.replace("-", ""): one for one in (*catalog.names("fabric"), *examples)}
        keys = difflib.get_close_matches(name.replace("-", ""), plain, n=2)
        near = [examples.get(plain[key], plain[key]) for key in keys]
    guess = f"did you mean {' or '.join(near)}? " if near else ""
    return (
        f"{guess}`weft fabric list` names the fabrics and generators; a file is the path of a .toml"
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
