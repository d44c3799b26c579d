"""What an MPI library's default costs against the best other algorithm."""

from weft.base.interval import Interval
from weft.base.statistics import median_interval
from weft.understand.kinds.collectives.collected import CollectiveTiming
from weft.understand.kinds.collectives.library_cost import library_costs


def collected(
    algorithm: str, *times_us: float, size: int = 1024, nodes: int = 4
) -> CollectiveTiming:
    mbps = [size * 8 / one for one in times_us]
    median_us = median_interval(times_us, upper=True).median
    return CollectiveTiming(
        step=0,
        phase=0,
        operation="bcast",
        algorithm=algorithm,
        size_bytes=size,
        nodes=nodes,
        elapsed_us=median_us,
        bus_mbps=size * 8 / median_us,
        times_best=1.0,
        bus=median_interval(mbps),
        by_launch_mbps=tuple(mbps),
        reduce_ps=None,
    )


def test_the_ratio_is_of_times_in_the_same_launch() -> None:
    """The network was slower in the third launch: for both, so that the ratio is as in the others."""
    library = collected("library", 200, 210, 800, 220, 190)
    best = collected("chain", 100, 105, 400, 110, 95)
    [found] = library_costs([library, collected("binomial", *[150] * 5), best])
    assert (found.best, found.best_us, found.library_us) == ("chain", 105, 210)
    assert found.ratio == Interval(2, 2, 2) and found.launches == 5


def test_without_launches_to_pair_the_ends_are_as_far_apart_as_they_can_be() -> None:
    library, best = collected("library", 80, 100, 120), collected("chain", 100, 200)
    [found] = library_costs([library, best])
    assert found.ratio.low <= found.ratio.median < 1 <= found.ratio.high


def test_nothing_is_said_where_either_is_missing() -> None:
    library = collected("library", 100)
    assert not library_costs([library])
    assert not library_costs([collected("chain", 100), collected("chain", 100, size=2048)])
    others = collected("chain", 100, nodes=8), collected("chain", 100, size=2048)
    assert not library_costs([library, *others])
