import pytest

from network.model.test_laws import published
from weft.base.errors import RequestError
from weft.network.model.communication_path import AccessTime


def test_published_times() -> None:
    value = published()
    memory = AccessTime(value["tm_raw_latency_cycles"])
    assert float(memory.predict(0.9)) == pytest.approx(value["tm_mem_cycles"])
    means = published("derived")["der004_mean_latency"]
    rates = [1, 0.98, 0.96, 0.94, 0.91, 0.90]
    assert AccessTime(91).predict(rates) == pytest.approx(means)
    # inc004_hit_rate: table 4.8 prints 4 cycles for 0.96 and 10 for 0.91.
    assert AccessTime(91).predict([0.96, 0.91]) == pytest.approx([4.6, 9.1])


@pytest.mark.parametrize("rate", [-0.01, 1.01, float("nan")])
def test_impossible_hit_rates_are_refused(rate: float) -> None:
    with pytest.raises(RequestError, match="hit rate"):
        AccessTime(91).predict(rate)


@pytest.mark.parametrize(("memory", "cache"), [(0, 0), (1, 2), (float("inf"), 1), (10, -1)])
def test_impossible_memories_are_refused(memory: float, cache: float) -> None:
    with pytest.raises(RequestError, match="memory of"):
        AccessTime(memory, cache)
