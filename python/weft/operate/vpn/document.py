"""The folder given by `--out`, with its single document."""

from __future__ import annotations

from pathlib import Path

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
