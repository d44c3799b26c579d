"""The notebooks run from the first cell to the last, and find what they say they find."""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from support.paths import CHECKOUT

FOLDER = CHECKOUT / "docs/notebooks"
FINDINGS = {
    "accept-a-cluster": "Not accepted: n7 sends and receives at 10% of what the other nodes do.",
    "explain-a-slow-pair": "receive-buffer - ",
    "offload-or-not": "It gains at least 25 % up to gamma 0.",
}

LIVE = ("explain-a-slow-pair",)


def test_every_notebook_is_tested_and_stored_without_outputs() -> None:
    files = sorted(FOLDER.glob("*.ipynb"))
    assert [file.stem for file in files] == sorted(FINDINGS)
    cells = [cell for file in files for cell in nbformat.read(file, 4).cells]
    assert not any(cell.get("outputs") or cell.get("execution_count") for cell in cells)


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.timed] * (name in LIVE)) for name in FINDINGS]
)
def test_a_notebook_finds_what_it_says(name: str, tmp_path: Path) -> None:
    notebook = nbformat.read(FOLDER / f"{name}.ipynb", 4)
    NotebookClient(notebook, timeout=60, resources={"metadata": {"path": tmp_path}}).execute()
    outputs = [one for cell in notebook.cells for one in cell.get("outputs", ())]
    assert FINDINGS[name] in "".join(one.get("text", "") for one in outputs)
    assert any("image/svg+xml" in one.get("data", {}) for one in outputs)
