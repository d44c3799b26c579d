"""Flows of two leaves that are held up unevenly, and those that are not."""

import numpy as np
import pytest

from weft.diagnosis.xray.several_paths import has_several_paths
from weft.diagnosis.xray.survey import Survey
from weft.diagnosis.xray.tree.round_trips import RoundTrips
from weft.diagnosis.xray.trial import Trial

HOSTS = 4


def survey() -> Survey:
    """Two leaves whose nodes send 10 Mb/s each when nothing is in the way."""
    a, b = (ends.ravel() for ends in np.meshgrid(range(2 * HOSTS), range(2 * HOSTS)))
    pairs = a != b
    a, b = a[pairs], b[pairs]
    trips = RoundTrips.of(a, b, np.where(a // HOSTS == b // HOSTS, 5.0, 10.0))
    alone = [Trial(n, a[[n]], b[[n]], np.array([10.0])) for n in range(len(a))]
    return Survey(2 * HOSTS, frozenset(), trips, [alone])


@pytest.mark.parametrize(
    ("mbps", "are_several"), [((5.0, 5.0, 10.0, 10.0), True), ((5.0, 5.5, 5.0, 6.0), False)]
)
def test_what_one_link_carries_is_shared_evenly(mbps: tuple[float, ...], are_several: bool) -> None:
    src = np.arange(HOSTS)
    trials = [Trial(n, src, HOSTS + np.roll(src, n), np.array(mbps)) for n in range(8)]
    assert has_several_paths(survey(), trials) is are_several
