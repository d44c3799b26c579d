"""Searches for limits on simulated networks, each computed once for all tests."""

from __future__ import annotations

import shutil
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from weft.measure.execute.options.run_options import RunOptions
from weft.measure.execute.request import RunRequest, start_run
from weft.network.fabrics.document import FabricDocument

TWO_NETWORKS = "rail(units=2,hosts=4,rails=2,spines=2)"
"""A fabric with a limit in each of two networks."""
_KEPT = TemporaryDirectory(prefix="searched-")


@cache
def search(fabric: str) -> Path:
    """The folder of `weft run xray --on sim:FABRIC`."""
    folder = Path(_KEPT.name) / fabric.replace("/", "-")
    start_run(RunRequest("xray", f"sim:{fabric}", RunOptions(out=folder)))
    return folder


def write_fabric(folder: Path, of: str, **changed: object) -> str:
    """A fabric of the catalogue with some of its keys replaced, as a file."""
    document = FabricDocument.read(of)
    file = folder / f"{of}-changed.toml"
    file.write_text(document.with_table(document.edited() | changed).text)
    return str(file)


def copy_of_search(fabric: str, folder: Path) -> Path:
    """A search that a test may change."""
    return Path(shutil.copytree(search(fabric), folder))
