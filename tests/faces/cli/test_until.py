"""--until: what it changes of a plan."""

from __future__ import annotations

import pytest

from weft.base.errors import RequestError
from weft.measure.execute.options.until import until_overrides
from weft.plan.load import load_plan


@pytest.mark.parametrize(
    ("text", "rule", "width_ppm", "time_s"),
    [
        ("decided", "decided", 50_000, 2),
        ("±2 %", "relative", 20_000, 2),
        ("+-0.5%", "relative", 5_000, 2),
        ("60 s", "relative", 0, 60),
        ("decided, 2 %, 1.5 s", "decided", 20_000, 1.5),
    ],
)
def test_it_sets_the_goal_of_all_steps(text, rule, width_ppm, time_s):
    goal = load_plan("signature", until_overrides(text)).steps[0].goal
    assert (goal.rule, goal.width_ppm, goal.time_ns) == (rule, width_ppm, time_s * 1e9)


def test_a_number_of_launches_takes_the_goal_away():
    plan = load_plan("signature", until_overrides("launches=5"))
    assert (plan.launches, plan.steps[0].goal or None) == (5, None)


@pytest.mark.parametrize("text", ["", "soon", "2", "±2 %, soon", "5 launches", "launches=5, 2 %"])
def test_what_cannot_be_read_says_what_can(text):
    with pytest.raises(RequestError) as caught:
        until_overrides(text)
    assert "'±2 %'" in caught.value.hint
    assert text in caught.value.message


def test_between_many_nodes_there_is_no_goal():
    with pytest.raises(RequestError, match="belongs to a pair"):
        load_plan("aapc", until_overrides("decided"))
