from dataclasses import replace

import numpy as np
import pytest

from weft.base.errors import RequestError
from weft.network.model.communication_path import CommunicationPath

PATH = CommunicationPath(
    network_mbps=1000,
    memory_mbps=6400,
    io_mbps=2112,
    memory_crossings=3,
    io_crossings=1,
    processing_us=20,
    flight_us=5,
)


def test_times_and_bandwidths_are_those_of_equations_1_1_to_1_3() -> None:
    overhead_us = 3 * 12000 / 6400 + 12000 / 2112 + 20
    assert float(PATH.overhead_us(1500)) == pytest.approx(overhead_us)
    assert float(PATH.predict(1500)) == pytest.approx(overhead_us + 5 + 12)
    expected = 1000 / (1 + 3 * 1000 / 6400 + 1000 / 2112 + 20 * 1000 / 12000)
    assert float(PATH.effective_mbps(1500)) == pytest.approx(expected)
    path, sizes = replace(PATH, flight_us=0), np.array([1, 100, 9000])
    assert path.effective_mbps(sizes) == pytest.approx(sizes * 8 / path.predict(sizes))


def test_the_thesis_draws_four_conclusions_from_equation_1_3() -> None:
    sizes = np.array([1.0, 1e3, 1e6, 1e9])
    assert np.all(PATH.effective_mbps(sizes) < PATH.network_mbps)
    small = PATH.effective_mbps(1)
    assert float(small) == pytest.approx(8 / PATH.processing_us, rel=0.01)
    fast = replace(PATH, memory_mbps=1e9, io_mbps=1e9)
    expected = 1000 / (1 + 20 * 1000 / 12000)
    assert float(fast.effective_mbps(1500)) == pytest.approx(expected, rel=1e-3)
    faster = replace(PATH, network_mbps=10000)
    assert float(faster.effective_mbps(1500)) / 10000 < float(PATH.effective_mbps(1500)) / 1000


def test_over_sizes_it_is_hockneys_model() -> None:
    sizes = np.array([0, 1, 1500, 9000])
    assert PATH.hockney.predict(sizes) == pytest.approx(PATH.predict(sizes))
    assert PATH.hockney.latency_us == 25


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"network_mbps": 0}, "network_mbps 0: must be a number, greater than 0"),
        ({"io_mbps": float("nan")}, "io_mbps nan"),
        ({"memory_crossings": -1}, "memory_crossings -1: must be a number, 0 or more"),
        ({"processing_us": -0.1}, "processing_us -0.1"),
    ],
)
def test_impossible_paths_are_refused(wrong: dict[str, float], said: str) -> None:
    with pytest.raises(RequestError, match=said):
        replace(PATH, **wrong)
