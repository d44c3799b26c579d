"""Predictions with intervals: how often they hold what comes next, and that draws and discrepancy widen them."""

import numpy as np
import pytest

from weft.network.fabrics.document import FabricDocument
from weft.simulation.prediction.draws import Draws
from weft.simulation.prediction.intervals import intervals, next_of, widened
from weft.simulation.prediction.predict import NetworkDraw, PlannedWorkload

RING = {
    "name": "ring",
    "steps": [
        {"name": "ring", "pattern": "ring", "sizes": ["4 KiB"], "stop": {"rule": "time", "trial": "1 s", "trials": 1}}
    ],
}  # fmt: skip


@pytest.mark.parametrize("count", [5, 12, 40])
def test_the_next_value_lies_within_as_often_as_said(count):
    rng = np.random.default_rng(count)
    held = 0
    for _ in range(600):
        *seen, following = rng.normal(0.1, 0.3, count + 1)
        low, high = np.quantile(next_of(seen), [0.05, 0.95])
        held += low <= following <= high
    assert 0.86 <= held / 600 <= 0.94


@pytest.mark.parametrize("count", [4, 30])
def test_values_that_weigh_alike_count_as_those_without_weights(count):
    seen = np.random.default_rng(1).normal(size=count)
    assert next_of(seen, np.full(count, 0.25)) == pytest.approx(next_of(seen))


def test_a_value_of_hardly_any_weight_hardly_counts():
    seen = np.random.default_rng(2).normal(size=30)
    found = next_of(np.append(seen, 100.0), np.append(np.ones(30), 1e-6))
    middle = slice(len(found) // 20, -len(found) // 20)
    assert found[middle] == pytest.approx(next_of(seen)[middle], abs=1e-3)


def test_a_certain_fabric_has_no_width():
    draws = Draws.of_fabric(FabricDocument.read("two-racks"))
    (found,) = intervals(draws, PlannedWorkload(RING))
    assert found.rate_mbps.low == found.rate_mbps.median == found.rate_mbps.high > 0


def test_draws_and_discrepancy_widen_and_bias_moves():
    middle = FabricDocument.read("two-racks")
    drawn = tuple(
        NetworkDraw(middle.of_text(middle.text.replace('rate = "1 Gb/s"', f'rate = "{rate} Mb/s"'), "drawn"))
        for rate in (950, 1000, 1050)
    )  # fmt: skip
    certain = intervals(Draws(NetworkDraw(middle)), PlannedWorkload(RING))[0].time_s
    uncertain = intervals(Draws(NetworkDraw(middle), drawn), PlannedWorkload(RING))[0].time_s
    assert uncertain.high / uncertain.low > 1.05
    late = intervals(Draws(NetworkDraw(middle), drawn, (0.1,) * 30), PlannedWorkload(RING))[
        0
    ].time_s
    assert late.median == pytest.approx(certain.median * np.exp(0.1))
    assert late.low > uncertain.low


def test_an_interval_of_few_errors_is_wider_than_they_are():
    found = widened(1.0, [], [-0.1, 0.0, 0.1])
    assert found.low < np.exp(-0.1) and found.high > np.exp(0.1)
