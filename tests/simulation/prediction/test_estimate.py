"""Plans estimated from some of their phases."""

import numpy as np
import pytest

from weft.base.errors import RequestError
from weft.measure.testbed.computed.network import open_simulated
from weft.network.fabrics.document import FabricDocument
from weft.plan.load import load_plan
from weft.simulation.prediction.estimate import Stratum, check_plan, simulate_strata, strata_of
from weft.simulation.prediction.predict import NetworkDraw, PlannedWorkload, predict


@pytest.mark.parametrize("plan", ["aapc", "random-permutations", "incast", "cast", "matrix"])
@pytest.mark.parametrize("network", ["two-racks", "xibalba-dual", "torus(dims=4x4x2)"])
def test_all_phases_are_what_a_run_gives(plan: str, network: str) -> None:
    testbed = open_simulated(network)
    found = [
        simulate_strata(testbed, step, strata)
        for step in load_plan(plan).steps
        for strata in strata_of(testbed, step, 1000)
    ]
    wanted = predict(testbed, PlannedWorkload(plan))
    assert [(one.step, one.size_bytes) for one in found] == [
        (one.step, one.size_bytes) for one in wanted
    ]
    assert [one.time_s for one in found] == pytest.approx([one.time_s for one in wanted])
    assert [one.rate_mbps for one in found] == pytest.approx([one.rate_mbps for one in wanted])
    assert {one.relative_error for one in found} == {0.0}


def test_a_sample_of_phases_is_off_by_about_as_much_as_it_says() -> None:
    testbed = open_simulated("xibalba-e7-loaded")
    step = load_plan("aapc").steps[0]
    [every] = strata_of(testbed, step, 10_000)
    exact = simulate_strata(testbed, step, every).time_s
    off = []
    for most in range(8, 40, 2):
        [strata] = strata_of(testbed, step, most)
        assert sum(one.weight for one in strata) == len(every)
        found = simulate_strata(testbed, step, strata)
        off.append((found.time_s / exact - 1) / found.relative_error)
    assert 0.2 < np.sqrt(np.mean(np.square(off))) < 1.5


def test_each_size_has_its_own_strata() -> None:
    plan = load_plan("aapc", [("steps.aapc.sizes", '["1 kB", "1 MB"]')])
    testbed = open_simulated("two-racks")
    found = [
        simulate_strata(testbed, plan.steps[0], strata)
        for strata in strata_of(testbed, plan.steps[0], 7)
    ]
    assert [one.size_bytes for one in found] == [1000, 1_000_000]
    assert [one.weights.sum() for one in found] == [31, 31]


@pytest.mark.parametrize(("plan", "said"), [("xray", "searches"), ("latency", "two nodes")])
def test_what_has_no_phases_to_sample_is_refused(plan: str, said: str) -> None:
    with pytest.raises(RequestError, match=said):
        check_plan(open_simulated("two-racks"), load_plan(plan))


ISLANDS = """
name = "islands"
routing = "shortest"
[[hosts]]
ids = "n[1-4]"
attach = "s[1-2]"
per_switch = 2
link = { rate = "1 Gb/s" }
[[switches]]
ids = "s[1-2]"
"""


def test_a_transfer_without_a_path_is_named() -> None:
    testbed = NetworkDraw(FabricDocument.of_text(ISLANDS, "islands.toml")).open()
    step = load_plan("aapc").steps[0]
    with pytest.raises(RequestError, match="no path from n2 to n3"):
        simulate_strata(testbed, step, [Stratum(0, 1)])
