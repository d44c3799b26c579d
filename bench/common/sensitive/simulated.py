"""Runs on simulated networks, whole, and what is said of them."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory

from common.sensitive.answer import Answer
from weft.measure.execute.options.run_options import RunOptions
from weft.measure.execute.request import RunRequest, start_run
from weft.understand.limits.diagnosis import diagnose


def diagnosed(plan: str, fabric: str) -> Answer:
    """What a search says of a fabric, which is a name of the catalogue or a text; nothing there is wrong."""
    with TemporaryDirectory() as folder:
        name = fabric
        if "\n" in fabric:
            name = f"{folder}/fabric.toml"
            Path(name).write_text(fabric)
        run = start_run(RunRequest(plan, f"sim:{name}", RunOptions(out=Path(folder) / "run")))
        found = diagnose(run).to_json()
        return Answer(0, f"{len(run.meta.phases)} {json.dumps(found, default=str)}")
