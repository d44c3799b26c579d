import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.refusals import refused
from weft.network.model.gamma_points import gamma_range


def test_a_step_that_is_given_is_kept_and_without_one_it_is_round() -> None:
    assert gamma_range("0:1:0.25").tolist() == [0, 0.25, 0.5, 0.75, 1]
    assert gamma_range("0:1:0.4").tolist() == [0, 0.4, 0.8, 1], "the end is there"
    assert np.diff(gamma_range("0:3.5")) == pytest.approx(np.full(35, 0.1))
    assert np.diff(gamma_range("1:2")) == pytest.approx(np.full(50, 0.02))


@given(st.floats(0, 1e3), st.floats(1e-3, 1e3))
def test_any_range_has_its_ends_and_few_points(low: float, width: float) -> None:
    gammas = gamma_range(f"{low!r}:{low + width!r}")
    assert (gammas[0], gammas[-1]) == (low, low + width)
    assert np.all(np.diff(gammas) > 0)
    assert 2 <= len(gammas) <= 52


@pytest.mark.parametrize(
    ("texts", "said"),
    [
        (["", "1", "a:b", "0:", "0:1:0.1:2", "0:inf", "nan:1"], "not a range"),
        (["-1:2", "3:1", "1:1"], "not 0 <= LOW < HIGH"),
        (["0:1:0", "0:1:-0.1"], "STEP is not greater than 0"),
        (["0:1:1e-9"], "more than 100000 points"),
    ],
)
def test_what_is_no_range_is_refused(texts: list[str], said: str) -> None:
    for text in texts:
        with refused(said) as caught:
            gamma_range(text)
        assert f'"{text}"' in caught.value.message
