"""The folder given by `--out`, with its single document."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from weft.base.errors import RequestError
from weft.measure.testbed.base import Testbed


def checked(testbed: Testbed, out: str | None, name: str) -> Path | None:
    """The folder, if one is given; raises RequestError if it already has the document or the testbed can have no
    tunnel."""
    if testbed.is_computed:
        raise RequestError(
            f"{testbed.kind}:{testbed.name} is computed: there is no tunnel",
            "give a testbed that runs: ssh:a,b or a lab that is up",
        )
    if len(testbed.nodes) < 2:
        raise RequestError("a tunnel has two ends", "give a testbed of two nodes, such as ssh:a,b")
    folder = Path(out) if out else None
    if folder and (folder / name).exists():
        raise RequestError(f"{folder}: has a {name} already", "give another folder")
    return folder


def save(path: Path, document: dict[str, Any]) -> None:
    """Write the document and create its folder."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document, indent=1) + "\n")
