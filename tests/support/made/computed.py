"""Runs on what is computed: simulated networks and nodes."""

from pathlib import Path

from weft.measure.execute.options.run_options import RunOptions
from weft.measure.execute.request import RunRequest, start_run
from weft.runs.folder import RunFolder


def compute(folder: Path, plan: str, on: str, *, scale: float = 1.0, **settings: str) -> RunFolder:
    """Run a plan on `sim:` or `node:`; steps__x__y="z" sets the key steps.x.y of the plan."""
    overrides = [(key.replace("__", "."), value) for key, value in settings.items()]
    return start_run(
        RunRequest(plan, on, RunOptions(out=folder, scale=scale, settings=dict(overrides)))
    )
