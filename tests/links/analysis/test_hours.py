"""Hours that chance makes differ are shown as equal, and none has an interval that its values do not give."""

import numpy as np
import pytest

from weft.base.statistics import Floats
from weft.links.analysis.hours import typical, typical_text


def values(hours: int, count: int, seed: int) -> dict[int, Floats]:
    rng = np.random.default_rng(seed)
    return dict(enumerate(1 + 0.1 * rng.standard_normal((hours, count))))


@pytest.mark.parametrize("weeks", [2, 3, 6])
def test_equal_hours_have_no_worst_one(weeks: int) -> None:
    medians = [one.median for one in typical(values(168, weeks, seed=1)).values()]
    assert min(medians) == max(medians) == pytest.approx(1.0, abs=0.02)


def test_an_hour_that_is_slow_is_so() -> None:
    of_hours = values(168, 3, seed=2)
    of_hours[40] = of_hours[40] + 1
    found = typical(of_hours)
    assert max(found, key=lambda one: found[one].median) == 40
    assert found[40].median == pytest.approx(2.0, rel=0.15)


def test_working_hours_are_slower_together() -> None:
    of_hours = values(168, 4, seed=3)
    for day in range(5):
        for hour in range(9, 17):
            of_hours[24 * day + hour] = of_hours[24 * day + hour] + 0.3
    found = typical(of_hours)
    assert found[24 + 12].median == pytest.approx(1.3, abs=0.1)
    assert found[24 + 4].median == pytest.approx(1.0, abs=0.05)


@pytest.mark.parametrize(("count", "is_known"), [(1, False), (5, False), (6, True), (20, True)])
def test_few_values_give_no_interval(count: int, is_known: bool) -> None:
    found = typical(values(24, count, seed=4))
    assert {one.low is not None and one.high is not None for one in found.values()} == {is_known}
    assert all("(" in typical_text(one) for one in found.values()) == is_known
