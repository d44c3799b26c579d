"""The network demonstration: find the limits of a published switch without knowing them, and compare with the
publication."""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from pathlib import Path

from weft.base.errors import WorkError
from weft.measure.execute.options.run_options import RunOptions
from weft.measure.execute.progress import Reporter
from weft.measure.execute.request import RunRequest, start_run
from weft.network.fabrics.load import load_fabric
from weft.operate.demo.demonstration import ALL_FOLDERS, Demonstration, clear, report
from weft.operate.demo.known import FoundLimit, compare
from weft.runs.folder import RunFolder
from weft.understand.ensemble.phases import overall_mbps, phases
from weft.understand.limits.declared import DeclaredNetwork
from weft.understand.limits.diagnosis import diagnose
from weft.understand.limits.findings import LimitFindings

FABRIC = "xibalba-e7-32"
SCALE = 0.1
"""A tenth of the switch's speed, so that two cores carry what 32 nodes send."""


@dataclass
class NetworkDemonstration(Demonstration):
    """The findings beside the known values; `measuring_s` is the duration of the search including start and end."""

    found: LimitFindings = field(default_factory=lambda: LimitFindings(""))
    known: list[FoundLimit] = field(default_factory=list)
    measuring_s: float = 0.0
    scale: float = 1.0

    @property
    def xray(self) -> RunFolder:
        """The run that searched."""
        return self.runs[0]

    @property
    def overall_mbps(self) -> float:
        """The rate of each route over all phases of the all-to-all."""
        return overall_mbps(phases(self.runs[1]))

    def to_json(self) -> dict[str, object]:
        """The part of `weft demo --json` besides runs, report and warnings."""
        return {
            "findings": self.found.to_json(),
            "known": [one.to_json() for one in self.known],
            "measuring_s": self.measuring_s,
            "alltoall_mbps": self.overall_mbps,
        }


def demonstrate(
    directory: Path, reporter: Reporter, fabric: str = FABRIC, scale: float = SCALE
) -> NetworkDemonstration:
    """Search for limits, then run an all-to-all; report into `directory`, which is created anew."""
    clear(directory, ALL_FOLDERS)
    began_s = time.monotonic()
    xray = _measured("xray", directory, reporter, fabric, scale)
    measuring_s = time.monotonic() - began_s
    aapc = _measured("aapc", directory, reporter, fabric, scale)
    declared = DeclaredNetwork(load_fabric(fabric, scale))
    found = diagnose(xray, declared)
    return NetworkDemonstration(
        runs=[xray, aapc],
        report=report([xray, aapc], directory),
        warnings=[
            replace(warning, message=f"{run.directory.name}: {warning.message}")
            for run in (xray, aapc)
            for warning in run.meta.warnings
        ],
        found=found,
        known=compare(declared, found, scale),
        measuring_s=measuring_s,
        scale=scale,
    )


def _measured(
    plan: str, directory: Path, reporter: Reporter, fabric: str, scale: float
) -> RunFolder:
    """One launch of a plan, each in a lab of its own, as for users."""
    reporter.describe(plan)
    request = RunRequest(
        plan,
        f"lab:{fabric}",
        RunOptions(out=directory / plan, scale=scale, settings={"launches": "1"}),
    )
    run = start_run(request, reporter)
    if run.meta.status == "failed":
        raise WorkError("the demonstration measured nothing", run.meta.warnings[0].message)
    return run
