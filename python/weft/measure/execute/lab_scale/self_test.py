"""A self-test of a lab: for half a second its hosts send at full speed."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from weft.base.errors import RequestError, WeftError
from weft.measure.execute.lab_scale.choice import ScaleTrial
from weft.measure.execute.lab_scale.load import OfferedLoad
from weft.measure.execute.options.run_options import RunOptions
from weft.measure.execute.request import RunRequest, start_run
from weft.measure.testbed.lab.demand import sending_mbps
from weft.network.fabrics.load import load_fabric
from weft.network.model.maxmin import fair_rates
from weft.runs.folder import RunFolder
from weft.runs.records.fabric_records import FabricRecord
from weft.understand.ensemble.rates import MedianRates
from weft.understand.ensemble.waiting import waiting_share
from weft.understand.limits.declared import DeclaredNetwork

TRIAL = "500 ms"
PATIENCE_S = 2.0
PAYLOAD_SHARE = 1448 / 1538
"""Share of payload in full TCP frames on a cable."""
Flow = tuple[int, int]


@dataclass(frozen=True)
class SelfTest:
    """Tests labs of a fabric with a load."""

    fabric: str
    load: OfferedLoad

    def at(self, scale: float) -> ScaleTrial | None:
        """The result at a scale; None if the test fails, because the run itself will report the reason."""
        try:
            with tempfile.TemporaryDirectory(prefix="weft-self-test-") as folder:
                out = str(Path(folder) / "run")
                plan = plan_of(self.load)
                run = start_run(
                    RunRequest(
                        plan,
                        f"lab:{self.fabric}",
                        RunOptions(out=out, scale=scale, patience_s=PATIENCE_S),
                    )
                )
                return self._judged(run, load_fabric(self.fabric, scale))
        except WeftError:
            return None

    def _judged(self, run: RunFolder, fabric: FabricRecord) -> ScaleTrial | None:
        rates = MedianRates.of(run)
        flows = list(zip(rates.src.tolist(), rates.dst.tolist(), strict=True))
        possible = possible_mbps(fabric, flows)
        if not possible:
            return None
        # The two agents of a pair take turns, so waiting for a processor is no sign of overload.
        waiting = 0.0 if self.load.is_pair else waiting_share(run, [0])
        return ScaleTrial(float(np.sum(rates.mbps)), possible, waiting)


def plan_of(load: OfferedLoad) -> dict[str, object]:
    """The plan of a self-test."""
    places = [str(host + 1) for host in load.hosts]
    # A pair sends large messages, so that its cable is the limit and not its agents.
    pattern = (
        {"pattern": "streams", "senders": places[0], "receivers": places[1], "sizes": ["64 KiB"]}
        if load.is_pair
        else {"pattern": "ring", "nodes": ",".join(places), "sizes": ["1 KiB"]}
    )
    step = {"name": "all", **pattern, "stop": {"rule": "time", "trial": TRIAL, "trials": 1}}
    return {"name": "self-test", "title": "What a lab carries", "launches": 1, "steps": [step]}


def possible_mbps(fabric: FabricRecord, flows: Sequence[Flow]) -> float:
    """The payload rate of these simultaneous flows between hosts (by number) that a fabric lets through, without flows
    that nothing limits. In fabrics with several routes only the hosts' cables are considered."""
    try:
        network = DeclaredNetwork(fabric)
    except RequestError:
        own = list(sending_mbps(fabric).values())
        rates = np.array([own[src] * PAYLOAD_SHARE for src, _ in flows])
    else:
        rates = fair_rates(network.crossings(list(flows)), network.capacities_mbps(list(flows)))
    return float(np.sum(rates[np.isfinite(rates)]))
