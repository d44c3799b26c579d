"""Runs on a small network that is simulated, for twins that are made of them."""

from __future__ import annotations

from pathlib import Path

from weft.measure.execute.options.run_options import RunOptions
from weft.measure.execute.request import RunRequest, start_run

FABRIC = """
name = "small"
[[hosts]]
ids = "n[1-10]"
attach = "left,right"
per_switch = 5
link = { rate = "10 Mb/s", delay = "5 us" }
[[switches]]
ids = "left,right,top"
[[links]]
between = ["left", "top"]
rate = "20 Mb/s"
delay = "300 us"
[[links]]
between = ["right", "top"]
[[overrides]]
ids = "n4"
link = { rate = "4 Mb/s", rate_back = "10 Mb/s" }
"""
"""Ten hosts: five of them behind a link that is overloaded 2.5 times, one that sends slowly."""
PLANS = ("xray", "latency", "random-permutations", "ring")


def simulated_runs(folder: Path, fabric: str = FABRIC, plans: tuple[str, ...] = PLANS) -> list[str]:
    """Runs of plans on a fabric, in folders of the plans' names."""
    folder.mkdir(exist_ok=True)
    path = folder / "fabric.toml"
    path.write_text(fabric)
    for plan in plans:
        start_run(RunRequest(plan, f"sim:{path}(overhead=20us)", RunOptions(out=folder / plan)))
    return [str(folder / plan) for plan in plans]
