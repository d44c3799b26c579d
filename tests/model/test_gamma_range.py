from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.errors import RequestError
from weft.model.gamma_range import gamma_range


def test_a_step_that_is_given_is_kept_and_the_end_is_there() -> None:
    assert gamma_range("0:1:0.25").tolist() == [0, 0.25, 0.5, 0.75, 1]
    assert gamma_range("0:1:0.4").tolist() == [0, 0.4, 0.8, 1]


def test_without_a_step_it_is_round() -> None:
    assert np.diff(gamma_range("0:3.5")) == pytest.approx(np.full(35, 0.1))
    assert np.diff(gamma_range("1:2")) == pytest.approx(np.full(50, 0.02))


@given(st.floats(0, 1e3), st.floats(1e-3, 1e3))
def test_any_range_has_its_ends_and_few_points(low: float, width: float) -> None:
    gammas = gamma_range(f"{low!r}:{low + width!r}")
    assert (gammas[0], gammas[-1]) == (low, low + width)
    assert np.all(np.diff(gammas) > 0)
    assert 2 <= len(gammas) <= 52


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "not a range"),
        ("1", "not a range"),
        ("a:b", "not a range"),
        ("0:", "not a range"),
        ("0:1:0.1:2", "not a range"),
        ("0:inf", "not a range"),
        ("nan:1", "not a range"),
        ("-1:2", "not 0 <= LOW < HIGH"),
        ("3:1", "not 0 <= LOW < HIGH"),
        ("1:1", "not 0 <= LOW < HIGH"),
        ("0:1:0", "STEP is not greater than 0"),
        ("0:1:-0.1", "STEP is not greater than 0"),
        ("0:1:1e-9", "more than 100000 points"),
    ],
)
def test_what_is_no_range_is_refused(text: str, said: str) -> None:
    with pytest.raises(RequestError) as refused:
        gamma_range(text)
    assert said in refused.value.message and f'"{text}"' in refused.value.message
