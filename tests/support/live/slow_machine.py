"""A machine of two processors that carries 600 Mb/s of any lab, so that no self-test is carried out."""

from __future__ import annotations

import pytest

from weft.measure.execute.lab_scale import settle as module
from weft.measure.execute.lab_scale.choice import ScaleTrial
from weft.measure.execute.lab_scale.self_test import SelfTest, possible_mbps
from weft.network.fabrics.load import load_fabric


def slow_machine(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """This machine, for a test; gives the scales that will have been tried."""
    scales: list[float] = []

    def at(self: SelfTest, scale: float) -> ScaleTrial:
        scales.append(scale)
        fabric = load_fabric(self.fabric, scale)
        hosts = self.load.hosts
        ring = list(zip(hosts, (*hosts[1:], hosts[0]), strict=True))
        possible = possible_mbps(fabric, ring[:1] if self.load.is_pair else ring)
        return ScaleTrial(min(possible, 600.0), possible, 0.02)

    monkeypatch.setattr(SelfTest, "at", at)
    monkeypatch.setattr(module, "_processors", lambda: 2)
    return scales
