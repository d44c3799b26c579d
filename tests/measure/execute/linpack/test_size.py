"""The size of a Linpack problem that its plan leaves open."""

import pytest

from support.refusals import refused
from weft.measure.execute.linpack.size import _fitting
from weft.plan.load import load_plan
from weft.plan.pattern import Hpl


def pattern_of(**settings: str) -> Hpl:
    found = load_plan("hpl", [(f"steps.hpl.{key}", value) for key, value in settings.items()])
    pattern = found.steps[0].pattern
    assert isinstance(pattern, Hpl)
    return pattern


def test_a_plan_without_n_has_a_minute_and_one_with_n_has_no_budget() -> None:
    assert (pattern_of().n, pattern_of().budget_ns) == (10_000, 60 * 10**9)
    assert pattern_of(time="600 s").budget_ns == 600 * 10**9
    assert not pattern_of(n="2000").budget_ns
    with refused("belongs to a step that leaves `n` open"):
        pattern_of(n="2000", time="600 s")


def test_the_problem_fills_the_time_and_not_more_than_the_memory() -> None:
    """12 s of 20 GFlop/s are 240 GFlop: n = (3/2 * 240e9)^(1/3) = 7,114."""
    assert _fitting(240e9, None) == 7_100
    assert pytest.approx(240e9, rel=0.01) == 2 / 3 * 7_100**3
    assert 8 * _fitting(240e9, 10**8) ** 2 <= 0.8 * 10**8
    assert _fitting(1.0, None) == 500
