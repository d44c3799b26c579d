"""Fits of windows by arithmetic that takes no longer in a long series: the same as by matrices."""

import numpy as np
import pytest

from weft.links.analysis.levels.scan import responses
from weft.links.analysis.levels.windows import WindowValues
from weft.links.analysis.noise import Noise, whitener

COUNT = 400
POSITION = np.delete(np.arange(COUNT + 20), slice(100, 120))
"""With a gap."""
ANSWER = responses(whitener(Noise(0.8, 0.6, 2.0), POSITION))
PLACES = [(20, 60), (57, 99), (99, COUNT), (390, 397)]


def test_steps_together_have_the_sum_of_their_products() -> None:
    rng = np.random.default_rng(1)
    ends, steps = np.array([0, 20, 57, 60, 60, 99, 103, COUNT]), rng.normal(size=8)
    alone = ANSWER.between(np.arange(COUNT + 1)[:, None], ends) @ steps
    assert ANSWER.with_steps(ends, steps) == pytest.approx(alone, rel=1e-9, abs=1e-9)


def test_what_a_fit_leaves_is_the_same_at_some_places_and_everywhere() -> None:
    rng = np.random.default_rng(2)
    products = ANSWER.products(rng.normal(size=COUNT))
    fit = WindowValues([products], [ANSWER]).fitted(PLACES)[0]
    some = np.array([0, 19, 20, 21, 58, 99, 250, COUNT])
    assert fit.left(some) == pytest.approx(fit.left_everywhere()[some], rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("places", [PLACES, [(0, 150), (150, COUNT)], []])
def test_rises_are_those_of_least_squares(places: list[tuple[int, int]]) -> None:
    """Also where windows cover the whole series, so that many rises fit as well: the smallest are taken."""
    rng = np.random.default_rng(3)
    innovations = rng.normal(size=COUNT)
    steps = np.array([_step(begin) - _step(end) for begin, end in [(0, COUNT), *places]])
    expected, *_ = np.linalg.lstsq(steps.T, innovations, rcond=1e-9)
    fit = WindowValues([ANSWER.products(innovations)], [ANSWER]).fitted(places)[0]
    assert fit.rises == pytest.approx(expected, rel=1e-6, abs=1e-9)
    assert fit.explained == pytest.approx(float(np.sum((expected @ steps) ** 2)), rel=1e-6)


def _step(place: int) -> np.ndarray:
    """What a step at a place does to innovations."""
    rows = ANSWER.rows
    behind = np.arange(COUNT) - place
    found = rows[np.arange(COUNT), np.clip(behind, 0, rows.shape[1] - 1)]
    return np.where(behind >= 0, found, 0.0)
