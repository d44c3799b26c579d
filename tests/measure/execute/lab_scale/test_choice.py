"""The scale of a lab, chosen from what a machine carries: pure, with machines of arithmetic."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from weft.measure.execute.lab_scale.choice import SCALES, ScaleTrial, at_most, choose, smaller


def machine(
    carries_mbps: float, demand_mbps: float, tried: list[float], busy_from: float = 1.0
) -> Callable[[float], ScaleTrial | None]:
    """One that carries so much, and whose agents wait from a share of that on."""

    def look(scale: float) -> ScaleTrial:
        tried.append(scale)
        possible = demand_mbps * scale
        is_busy = possible > busy_from * carries_mbps
        return ScaleTrial(min(possible, carries_mbps), possible, 0.3 if is_busy else 0.02)

    return look


@pytest.mark.parametrize(
    ("carries_mbps", "demand_mbps", "scale"),
    [
        (5000, 1000, 1.0),
        (600, 1600, 0.1),
        (900, 1600, 0.5),
        (600, 160_000, 0.001),
        (100, 1600, 0.02),
    ],
)
def test_the_largest_scale_with_a_margin_is_chosen(
    carries_mbps: float, demand_mbps: float, scale: float
) -> None:
    tried: list[float] = []
    assert choose(demand_mbps, 2, machine(carries_mbps, demand_mbps, tried)) == scale
    assert tried[-1] == scale and len(tried) <= 2


def test_a_scale_at_which_agents_wait_is_left_for_the_next() -> None:
    tried: list[float] = []
    look = machine(600, 1600, tried, busy_from=0.2)
    assert choose(1600, 2, look) == 0.05
    assert tried == [0.5, 0.1, 0.05]


def test_more_processors_may_carry_more() -> None:
    tried: list[float] = []
    assert choose(16_000, 32, machine(20_000, 16_000, tried)) == 1.0


def test_a_machine_that_carries_nothing_ends_the_search() -> None:
    tried: list[float] = []
    assert choose(1600, 2, machine(1e-9, 1600, tried)) == SCALES[-1]
    assert len(tried) <= 4


def test_what_cannot_be_tried_has_no_scale() -> None:
    assert choose(1600, 2, lambda scale: None) is None


@pytest.mark.parametrize(
    ("trial", "has_room"),
    [
        (ScaleTrial(91, 100, 0.0), True),
        (ScaleTrial(89, 100, 0.0), False),
        (ScaleTrial(100, 100, 0.11), False),
        (ScaleTrial(100, 100, 0.1), True),
    ],
)
def test_room_is_rate_and_processor_time(trial: ScaleTrial, has_room: bool) -> None:
    assert trial.has_room is has_room


def test_a_smaller_scale_is_smaller_also_where_all_was_carried() -> None:
    assert smaller(0.2, ScaleTrial(100, 100, 0.5)) == 0.05
    assert smaller(1.0, ScaleTrial(100, 100, 0.5)) == 0.2


def test_scales_are_round() -> None:
    assert SCALES[:7] == (1.0, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01)
    assert at_most(0.1) == 0.1 and at_most(0.099) == 0.05 and at_most(7) == 1.0
